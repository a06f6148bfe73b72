package dev.mover.deploy.wiring;

import dev.mover.repository.RepositoryOptions;

/**
 * What a repository may use when it lives in the proxy's own process, so that both together stay
 * within the limits of one:
 *
 * <pre>
 * proxy: read and send pools                160 MiB   (ProxyMemory)
 * repository: receive                        64 MiB   half a daemon's: in one process nothing is long in flight
 *             serve                          16 MiB   reading for restore uses openReadOnly's own
 *             metadata                       16 MiB
 *             RocksDB                        32 MiB
 * --------------------------------------------------
 * native                                    288 MiB
 * </pre>
 */
final class EmbeddedMemory {
  private static final long MIB = 1 << 20;

  private EmbeddedMemory() {}

  /** One task slot for each of the proxy's: the proxy is the only one that comes. */
  static RepositoryOptions options(int slots) {
    return new RepositoryOptions(slots, 64 * MIB, 16 * MIB, 16 * MIB, 32 * MIB);
  }
}
