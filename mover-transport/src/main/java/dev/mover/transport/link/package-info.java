/**
 * What both transports look like from above: control frames as a Flux, bulk payloads straight into
 * buffers the receiver lends.
 */
@NullMarked
package dev.mover.transport.link;

import org.jspecify.annotations.NullMarked;
