package dev.mover.repository.extent;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.point.Name;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The free space of an extent, shared out among the sessions that run: each is let in with what it
 * is expected to write, so that the one too many is refused before it begins and not after hours.
 * An estimate and no guarantee: others write there too, and a session may need more than expected;
 * it fails then when it is full. Thread-safe; asking blocks for the file system's counters.
 */
public final class Room {
  /**
   * Kept for what belongs to no session, or to a commit at its end: maps, the metadata of clones,
   * the index. At most a hundredth of the file system.
   */
  private static final long MOST_SPARE_BYTES = 1L << 30;

  private static final int SPARE_SHARE = 100;

  private final Space space;
  private final List<Reservation> running = new ArrayList<>();

  /** What a file system says of itself. All methods block. */
  public interface Space {
    /** Of the whole file system. */
    long capacityBytes();

    /** What may be written; negative when it can't be told, and nobody is refused then. */
    long freeBytes();

    /** Makes it finish what was deleted: Btrfs counts that as used for up to half a minute. */
    void settle();
  }

  public Room(Space space) {
    this.space = space;
  }

  /**
   * Lets a session in.
   *
   * @param expectedBytes what it will write, as far as is known
   * @return closed by the session when it ends
   * @throws RepositoryException REPOSITORY_FULL when that does not fit beside what the others are
   *     expected to write still
   */
  public synchronized Reservation reserve(Name machine, long expectedBytes) {
    long promised = running.stream().mapToLong(Reservation::leftBytes).sum();
    long spare = Math.min(MOST_SPARE_BYTES, space.capacityBytes() / SPARE_SHARE);
    long needed = expectedBytes + promised + spare;
    if (!isFree(needed)) {
      space.settle();
      long free = space.freeBytes();
      if (free >= 0 && needed > free) {
        throw new RepositoryException(
            ErrorCode.REPOSITORY_FULL,
            ("machine %s: no room: %d bytes are missing; by its last points it is expected to write"
                    + " %d, %d are free, of which running sessions need %d and %d are kept for maps"
                    + " and index; free some space and try again")
                .formatted(machine, needed - free, expectedBytes, free, promised, spare));
      }
    }
    Reservation reservation = new Reservation(expectedBytes);
    running.add(reservation);
    return reservation;
  }

  private boolean isFree(long bytes) {
    long free = space.freeBytes();
    return free < 0 || bytes <= free;
  }

  private synchronized void leave(Reservation reservation) {
    running.remove(reservation);
  }

  /** What one session was let in with. Thread-safe. */
  public final class Reservation implements AutoCloseable {
    private final long expectedBytes;
    private volatile LongSupplier written = () -> 0;

    private Reservation(long expectedBytes) {
      this.expectedBytes = expectedBytes;
    }

    /**
     * What was written is no longer reserved: it is not free either.
     *
     * @param writtenBytes so far; asked by other sessions' threads
     */
    public void countDown(LongSupplier writtenBytes) {
      written = writtenBytes;
    }

    private long leftBytes() {
      return Math.max(0, expectedBytes - written.getAsLong());
    }

    @Override
    public void close() {
      leave(this);
    }
  }
}
