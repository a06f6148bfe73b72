/** The parser cuts the same frames out of a stream however it is chopped. */
@NullMarked
package dev.mover.transport.carrier;

import org.jspecify.annotations.NullMarked;
