package dev.mover.proxy;

import dev.mover.api.error.MoverException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.api.source.DiskSource;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A disk of noise in memory that counts what is asked of it. Tests override one step. */
class MemorySource implements DiskSource {
  final AtomicInteger underWay = new AtomicInteger();
  volatile boolean closed;
  private final DiskSpec spec;
  private final byte[] content;
  private final ExecutorService reader =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("memory-source").factory());

  MemorySource(String name, int lengthBytes, long seed) {
    this(new DiskSpec(new Name(name), lengthBytes, 512), noise(lengthBytes, seed));
  }

  /** A disk that is zeros after {@code content}. */
  MemorySource(DiskSpec spec, byte[] content) {
    this.spec = spec;
    this.content = content;
  }

  static byte[] noise(int lengthBytes, long seed) {
    byte[] bytes = new byte[lengthBytes];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  @Override
  public DiskSpec spec() {
    return spec;
  }

  @Override
  public String describe() {
    return spec.name() + " in memory";
  }

  @Override
  public int depth() {
    return 1;
  }

  @Override
  public long nextData(long offset) {
    return offset < content.length ? offset : spec.sizeBytes();
  }

  @Override
  public void read(long offset, int length, BlockBuffer into, ReadDone done) {
    underWay.incrementAndGet();
    reader.execute(
        () -> {
          MoverException error = readNow(offset, length, into);
          underWay.decrementAndGet();
          done.done(error);
        });
  }

  @Nullable MoverException readNow(long offset, int length, BlockBuffer into) {
    into.bytes().put(content, (int) offset, length);
    return null;
  }

  @Override
  public List<String> finish() {
    return List.of();
  }

  @Override
  public void close() {
    if (underWay.get() != 0) {
      throw new IllegalStateException("closed with reads under way");
    }
    closed = true;
    reader.close();
  }
}
