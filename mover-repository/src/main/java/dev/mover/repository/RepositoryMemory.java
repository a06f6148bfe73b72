package dev.mover.repository;

import dev.mover.api.error.Side;
import dev.mover.api.memory.BufferPool;
import java.util.List;

/** The native memory of a repository; {@link RepositoryOptions} has the arithmetic. */
record RepositoryMemory(BufferPool receive, BufferPool serve, BufferPool metadata)
    implements AutoCloseable {
  static RepositoryMemory of(RepositoryOptions options) {
    return new RepositoryMemory(
        new BufferPool("receive memory", Side.REPOSITORY, options.receiveBytes()),
        new BufferPool("restore memory", Side.REPOSITORY, options.serveBytes()),
        new BufferPool("metadata memory", Side.REPOSITORY, options.allMetadataBytes()));
  }

  List<MemoryStatus> status() {
    return List.of(
        status("receive", receive), status("serve", serve), status("metadata", metadata));
  }

  private static MemoryStatus status(String name, BufferPool pool) {
    return new MemoryStatus(name, pool.leasedBytes(), pool.budgetBytes());
  }

  long leasedBytes() {
    return receive.leasedBytes() + serve.leasedBytes() + metadata.leasedBytes();
  }

  /** The collector never frees this memory: a proxy opens one embedded repository after another. */
  @Override
  public void close() {
    receive.close();
    serve.close();
    metadata.close();
  }
}
