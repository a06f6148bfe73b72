package dev.mover.transport.http;

import java.time.Duration;

/**
 * How long an endpoint waits.
 *
 * @param request for a request's body, and between two requests of a connection
 * @param handler for a handler's answer
 * @param heartbeat between two comments to a reader of events, so that both ends notice the other's
 *     death
 * @param stalled for a reader to take what is written to it
 */
record HttpTimes(Duration request, Duration handler, Duration heartbeat, Duration stalled) {
  static final HttpTimes DEFAULT =
      new HttpTimes(
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ofSeconds(15),
          Duration.ofSeconds(30));
}
