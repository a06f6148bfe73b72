package dev.mover.transport.frame;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.point.Name;
import java.util.List;

/**
 * Blocks of a disk that a verification found damaged; comes before the point's {@link
 * VerdictFrame}, as often as needed, in the order of the disk.
 *
 * <pre>
 * 0   name  machine             at most 255 bytes
 * ..  u64   sequence
 * ..  name  disk                at most 255 bytes
 * ..  u16   count               1 to 512
 * ..  count × (u64 offset in the disk in bytes, u32 length in bytes, id)
 * </pre>
 */
public record Damage(Name machine, long sequence, Name disk, List<Block> blocks) implements Frame {
  public static final int MAX_BLOCKS = 512;

  static final int BLOCK_BYTES = 12 + BlockId.BYTES;

  public Damage {
    blocks = List.copyOf(blocks);
  }

  /** A damaged block: the bytes of the disk that are lost with it, and its id. */
  public record Block(long offset, int lengthBytes, BlockId id) {}

  static final FrameCodec<Damage> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Damage damage, FrameWriter out) {
          out.name(damage.machine()).i64(damage.sequence()).name(damage.disk());
          out.count(damage.blocks().size(), 1, MAX_BLOCKS);
          for (Block block : damage.blocks()) {
            out.i64(block.offset()).i32(block.lengthBytes()).id(block.id());
          }
        }

        @Override
        public Damage read(FrameReader in) {
          return new Damage(
              in.name(),
              in.notNegative(),
              in.name(),
              in.list(1, MAX_BLOCKS, () -> new Block(in.notNegative(), length(in), in.id())));
        }
      };

  private static int length(FrameReader in) {
    int length = in.i32();
    if (length < 1 || length > BlockSize.MAX_BYTES) {
      throw in.violation("a block has an impossible length");
    }
    return length;
  }
}
