/**
 * What the transports have in common: one end of a link with its handshake, mailbox and end, and
 * the parser of arriving bytes. A transport adds a {@link dev.mover.transport.carrier.Carrier}.
 * Imports {@code frame} and {@code link}, Reactor, and no socket.
 */
@NullMarked
package dev.mover.transport.carrier;

import org.jspecify.annotations.NullMarked;
