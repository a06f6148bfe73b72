/** Frames are the bytes the protocol document draws, and nothing else is taken for one. */
@NullMarked
package dev.mover.transport.frame;

import org.jspecify.annotations.NullMarked;
