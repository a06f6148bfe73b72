package dev.mover.transport.carrier;

import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Frame;
import java.nio.ByteBuffer;

/** How one end of a link reaches the other. Nothing here blocks. */
public interface Carrier {
  /** Address of the other side, for messages. */
  String peer();

  /** Whether the other side runs in this process. */
  default boolean isInProcess() {
    return false;
  }

  /** Runs {@code step} on the transport's thread of this end, after what was given before. */
  void execute(Runnable step);

  /** Sends a control frame; any thread, the order of one thread's calls is kept. */
  void write(Frame frame);

  /** As {@link dev.mover.transport.link.FrameLink#sendBulk}; any thread. */
  void writeBulk(BulkHeader header, ByteBuffer payload, Runnable released);

  /**
   * Sends what is queued, then {@code last}, then closes so that the peer can still read it all.
   * Arriving bytes are thrown away from now on, a lent buffer goes back. Transport thread; once.
   */
  void finish(Frame last);

  /** Closes at once; what is queued is released unsent. Transport thread; idempotent. */
  void cut();
}
