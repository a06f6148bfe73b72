package dev.mover.proxy;

import java.util.List;

/**
 * What a proxy may use.
 *
 * @param slots most tasks (disks) at once, 1 to {@link #MAX_SLOTS}
 * @param workers CPU threads; by default the cores
 * @param linkRules what its links may carry; {@link Proxy#limitLinks} changes it
 */
public record ProxyOptions(int slots, int workers, List<LinkRule> linkRules) {
  /** At 64 slots a task of the default block size takes two: see {@link ProxyMemory}. */
  public static final int MAX_SLOTS = 64;

  public static final ProxyOptions DEFAULT =
      new ProxyOptions(4, Runtime.getRuntime().availableProcessors());

  public ProxyOptions {
    linkRules = List.copyOf(linkRules);
  }

  /** Without limits of its links. */
  public ProxyOptions(int slots, int workers) {
    this(slots, workers, List.of());
  }

  public ProxyOptions withSlots(int other) {
    return new ProxyOptions(other, workers, linkRules);
  }

  public ProxyOptions withLinkRules(List<LinkRule> other) {
    return new ProxyOptions(slots, workers, other);
  }
}
