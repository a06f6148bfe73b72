/**
 * Links over TCP, with Reactor Netty on epoll. The only package but {@code http} that knows Netty.
 * Bulk payloads go from the socket's buffer into the receiver's in the decoder; control frames go
 * up as small records.
 */
@NullMarked
package dev.mover.transport.netty;

import org.jspecify.annotations.NullMarked;
