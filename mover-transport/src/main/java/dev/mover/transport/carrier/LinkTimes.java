package dev.mover.transport.carrier;

/**
 * All waiting a link does.
 *
 * @param handshakeDeadlineMs from connected to WELCOME, each side by its own clock
 * @param pingAfterMs of silence a PING asks for a sign of life
 * @param deadAfterMs of silence, and of no progress in sending, the link is lost
 * @param lingerMs a closing end waits for its peer to have read the last frame
 */
public record LinkTimes(
    long handshakeDeadlineMs, long pingAfterMs, long deadAfterMs, long lingerMs) {
  public static final LinkTimes DEFAULT = new LinkTimes(10_000, 15_000, 60_000, 5_000);
}
