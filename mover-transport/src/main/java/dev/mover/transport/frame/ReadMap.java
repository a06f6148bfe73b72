package dev.mover.transport.frame;

/**
 * Asks for the next part of a disk's map.
 *
 * <pre>
 * 0   u16   disk
 * 2   u64   from block
 * </pre>
 *
 * @param fromBlock 0, then where the last {@link MapPart} ended
 */
public record ReadMap(int disk, long fromBlock) implements Frame {
  static final FrameCodec<ReadMap> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(ReadMap read, FrameWriter out) {
          out.disk(read.disk()).i64(read.fromBlock());
        }

        @Override
        public ReadMap read(FrameReader in) {
          return new ReadMap(in.disk(), in.notNegative());
        }
      };
}
