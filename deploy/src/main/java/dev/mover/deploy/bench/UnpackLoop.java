package dev.mover.deploy.bench;

import static java.util.Objects.requireNonNull;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.Side;
import dev.mover.api.linux.LinuxFile;
import dev.mover.api.linux.LinuxFile.Flag;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.dedup.codec.BlockCodec;
import dev.mover.dedup.codec.zstd.ZstdBlockCodec;
import dev.mover.dedup.digest.BlockDigest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The roofline of a restore: all threads read packed blocks in the order they lie, unpack, hash and
 * write them with O_DIRECT into a sparse file, which is durable at the end.
 */
final class UnpackLoop {
  private static final int BLOCK_BYTES = BlockSize.DEFAULT.bytes();

  private final PackedFile in;
  private final LinuxFile target;
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicLong plainBytes = new AtomicLong();
  private final AtomicLong packedBytes = new AtomicLong();

  private UnpackLoop(PackedFile in, LinuxFile target) {
    this.in = in;
    this.target = target;
  }

  /**
   * @param packed what {@link ReadLoop#write} wrote
   */
  static LoopResult run(Path packed, int threads, Path targetPath) throws IOException {
    BufferPool pool = new BufferPool("loop", Side.PROXY, 2L * threads * BLOCK_BYTES);
    try (pool;
        PackedFile in = PackedFile.open(packed);
        LinuxFile target =
            LinuxFile.open(targetPath, Flag.WRITE, Flag.CREATE, Flag.TRUNCATE, Flag.DIRECT);
        BufferSet buffers = pool.lease(BLOCK_BYTES, 2 * threads, () -> {})) {
      UnpackLoop loop = new UnpackLoop(in, target);
      LoopThreads.run(threads, () -> loop.work(buffers));
      target.truncate(in.imageBytes()); // the last block was padded
      target.sync();
      return new LoopResult(loop.plainBytes.get(), loop.packedBytes.get());
    }
  }

  private void work(BufferSet buffers) throws IOException {
    BlockBuffer packed = requireNonNull(buffers.tryTake());
    BlockBuffer plain = requireNonNull(buffers.tryTake());
    BlockDigest digest = new BlockDigest();
    try (BlockCodec codec = new ZstdBlockCodec()) {
      int i;
      while ((i = next.getAndIncrement()) < in.entries().size()) {
        PackedFile.Entry entry = in.entries().get(i);
        in.read(entry, packed);
        codec.unpack(
            entry.codec(), packed.bytes(0, entry.length()), plain.bytes(), entry.plainLength());
        digest.id(plain.bytes(0, entry.plainLength()));
        target.write(plain, BLOCK_BYTES, entry.block() * BLOCK_BYTES);
        plainBytes.addAndGet(entry.plainLength());
        packedBytes.addAndGet(entry.length());
      }
    } finally {
      packed.release();
      plain.release();
    }
  }
}
