/** The transport as a whole: its walls and its document. */
@NullMarked
package dev.mover.transport;

import org.jspecify.annotations.NullMarked;
