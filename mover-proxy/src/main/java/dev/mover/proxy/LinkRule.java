package dev.mover.proxy;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.transport.link.RepositoryAddress;
import java.time.DayOfWeek;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.EnumSet;
import java.util.Set;

/**
 * Most MB/s that backups may send at some time of day. All links to {@code address} share it; a
 * rule for {@link #EVERY} address is shared by all links of the proxy. Of several rules for the
 * same address the tightest that holds counts, and a link keeps its address's rule and the one for
 * every address.
 *
 * @param address {@code mover://host:port}, or {@link #EVERY}
 * @param from first minute it holds
 * @param to first minute it doesn't; not after {@code from}: it holds over midnight, and all day
 *     when both are the same
 * @param days on which it begins
 * @param mbps MB/s of 10^6 payload bytes, at least 1
 */
public record LinkRule(
    String address, LocalTime from, LocalTime to, Set<DayOfWeek> days, int mbps) {
  public static final String EVERY = "*";
  public static final int MOST_MBPS = 1_000_000;

  private static final long MB = 1_000_000;

  public LinkRule {
    if (RepositoryAddress.isMeantBy(address)) {
      address = RepositoryAddress.parse(address).toString();
    }
    if (mbps < 1 || mbps > MOST_MBPS) {
      throw new InputException(
          ErrorCode.BAD_CONFIG,
          "a link limit takes 1 to %d MB/s, not %d".formatted(MOST_MBPS, mbps));
    }
    days = Set.copyOf(days);
  }

  /** A rule for all hours of all days. */
  public static LinkRule always(String address, int mbps) {
    return new LinkRule(
        address, LocalTime.MIDNIGHT, LocalTime.MIDNIGHT, EnumSet.allOf(DayOfWeek.class), mbps);
  }

  /** Whether it holds at this time of the proxy's zone. */
  public boolean holdsAt(LocalDateTime now) {
    LocalTime time = now.toLocalTime();
    boolean begun = !time.isBefore(from) && days.contains(now.getDayOfWeek());
    if (from.isBefore(to)) {
      return begun && time.isBefore(to);
    }
    return begun || (time.isBefore(to) && days.contains(now.getDayOfWeek().minus(1)));
  }

  public long bytesPerSec() {
    return mbps * MB;
  }
}
