/** What every transport promises, and what both are tested with. */
@NullMarked
package dev.mover.transport.link;

import org.jspecify.annotations.NullMarked;
