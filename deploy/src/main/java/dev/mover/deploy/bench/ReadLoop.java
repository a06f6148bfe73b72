package dev.mover.deploy.bench;

import static java.util.Objects.requireNonNull;

import dev.mover.api.block.BlockSize;
import dev.mover.api.block.Codec;
import dev.mover.api.error.Side;
import dev.mover.api.linux.LinuxFile;
import dev.mover.api.linux.LinuxFile.Flag;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.dedup.codec.BlockCodec;
import dev.mover.dedup.codec.Compression;
import dev.mover.dedup.codec.zstd.ZstdBlockCodec;
import dev.mover.dedup.digest.BlockDigest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The roofline of a backup: all threads read blocks, skip zeros, hash, and as far as asked pack and
 * write them, and do nothing else. No queue, no frame; a block goes to whichever thread is free.
 * Holes are skipped as the mover skips them, reads and writes go past the page cache.
 */
final class ReadLoop {
  /** What loops and measured backups pack with: zstd 1. */
  static final Compression COMPRESSION = Compression.FAST;

  private static final int BLOCK_BYTES = BlockSize.DEFAULT.bytes();

  private final Path image;
  private final int threads;
  private final boolean pack;
  private final @Nullable PackedFile out;
  private final AtomicLong next = new AtomicLong();
  private final AtomicLong plainBytes = new AtomicLong();
  private final AtomicLong packedBytes = new AtomicLong();

  private ReadLoop(Path image, int threads, boolean pack, @Nullable PackedFile out) {
    this.image = image;
    this.threads = threads;
    this.pack = pack;
    this.out = out;
  }

  /** Reads and hashes: the least an unchanged second run must do. */
  static LoopResult hash(Path image, int threads) throws IOException {
    return new ReadLoop(image, threads, false, null).run();
  }

  /** Reads, hashes and packs: the CPU loop. */
  static LoopResult pack(Path image, int threads) throws IOException {
    return new ReadLoop(image, threads, true, null).run();
  }

  /** Reads, hashes, packs and writes with O_DIRECT; durable on return. */
  static LoopResult write(Path image, int threads, Path target) throws IOException {
    try (PackedFile out = PackedFile.create(target, Files.size(image))) {
      LoopResult result = new ReadLoop(image, threads, true, out).run();
      out.finish();
      return result;
    }
  }

  private LoopResult run() throws IOException {
    BufferPool pool = new BufferPool("loop", Side.PROXY, 2L * threads * BLOCK_BYTES);
    try (pool;
        LinuxFile file = LinuxFile.open(image, Flag.READ, Flag.DIRECT);
        BufferSet buffers = pool.lease(BLOCK_BYTES, 2 * threads, () -> {})) {
      file.sync(); // holes count only then, as for the mover
      long size = file.size();
      LoopThreads.run(threads, () -> work(file, size, buffers));
    }
    return new LoopResult(plainBytes.get(), packedBytes.get());
  }

  private void work(LinuxFile file, long size, BufferSet buffers) throws IOException {
    BlockBuffer plain = requireNonNull(buffers.tryTake());
    BlockBuffer packed = requireNonNull(buffers.tryTake());
    BlockDigest digest = new BlockDigest();
    try (BlockCodec codec = new ZstdBlockCodec()) {
      long blocks = BlockSize.DEFAULT.count(size);
      long block;
      while ((block = next.getAndIncrement()) < blocks) {
        long offset = block * BLOCK_BYTES;
        long data = file.nextData(offset);
        if (data < 0 || data >= offset + BLOCK_BYTES) {
          continue;
        }
        file.read(plain, BLOCK_BYTES, offset);
        int length = BlockSize.DEFAULT.lengthAt(block, size);
        plainBytes.addAndGet(length);
        ByteBuffer bytes = plain.bytes(0, length);
        if (!BlockDigest.isZero(bytes)) {
          digest.id(bytes);
          if (pack) {
            pack(codec, block, bytes, packed);
          }
        }
      }
    } finally {
      plain.release();
      packed.release();
    }
  }

  private void pack(BlockCodec codec, long block, ByteBuffer plain, BlockBuffer packed)
      throws IOException {
    ByteBuffer payload = packed.bytes();
    Codec used = codec.pack(plain, payload, COMPRESSION);
    packedBytes.addAndGet(payload.position());
    if (out != null) {
      out.append(block, plain.remaining(), used, packed, payload.position());
    }
  }
}
