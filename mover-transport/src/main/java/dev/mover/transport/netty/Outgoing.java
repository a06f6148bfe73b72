package dev.mover.transport.netty;

import java.nio.ByteBuffer;

/** Something on its way to the socket, in the order it was sent. */
sealed interface Outgoing {
  /**
   * A control frame.
   *
   * @param bytes header and payload, owned
   */
  record Control(ByteBuffer bytes) implements Outgoing {}

  /**
   * A bulk frame.
   *
   * @param prefix frame and bulk header, owned
   * @param payload borrowed until {@code released} runs
   */
  record Bulk(ByteBuffer prefix, ByteBuffer payload, Runnable released) implements Outgoing {}

  /** BYE or ERROR: nothing is sent after it. */
  record Last(ByteBuffer bytes) implements Outgoing {}
}
