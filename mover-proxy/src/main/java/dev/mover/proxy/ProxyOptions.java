package dev.mover.proxy;

/**
 * What a proxy may use.
 *
 * @param slots most tasks (disks) at once, 1 to {@link #MAX_SLOTS}
 * @param workers CPU threads; by default the cores
 */
public record ProxyOptions(int slots, int workers) {
  /** At 64 slots a task of the default block size takes two: see {@link ProxyMemory}. */
  public static final int MAX_SLOTS = 64;

  public static final ProxyOptions DEFAULT =
      new ProxyOptions(4, Runtime.getRuntime().availableProcessors());

  public ProxyOptions withSlots(int other) {
    return new ProxyOptions(other, workers);
  }
}
