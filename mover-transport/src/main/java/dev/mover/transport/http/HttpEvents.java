package dev.mover.transport.http;

import reactor.core.publisher.Flux;

/**
 * Events that are sent as they come, until their stream completes or the reader goes away.
 *
 * <p>Demand: one event at a time, the next one when the last is in the socket. A reader that takes
 * nothing for 30 s is disconnected. The stream is cancelled when the reader is gone; its error is
 * sent as a last event {@code error} with the body of {@link HttpReply#error}.
 *
 * @param events subscribed once, on a handler thread; must not block, and must not buffer without
 *     bound for a reader that is slow
 */
public record HttpEvents(Flux<HttpEvent> events) implements HttpAnswer {}
