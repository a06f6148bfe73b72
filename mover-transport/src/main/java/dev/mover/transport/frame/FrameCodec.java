package dev.mover.transport.frame;

/** The bytes of one kind of frame after its header; the layout is drawn beside the record. */
interface FrameCodec<F extends Frame> {
  /**
   * Appends the payload.
   *
   * @throws IllegalArgumentException when a field is beyond its bound: a mistake of the sender
   */
  void write(F frame, FrameWriter out);

  /**
   * Reads the whole payload.
   *
   * @throws dev.mover.api.error.LinkException PROTOCOL_VIOLATION or NOT_A_MOVER, and nothing else
   */
  F read(FrameReader in);
}
