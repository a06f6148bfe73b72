package dev.mover.repository.catalogue;

import dev.mover.api.point.RestorePoint;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** Lists restore points and finds their files, from the catalogue or from the files alone. */
public interface PointList {
  /**
   * At most {@code limit} points after {@code afterMachine} and {@code afterSequence}, by machine
   * (as UTF-8 bytes) and sequence. Blocks.
   *
   * @param machine only this one's; empty: all
   * @param afterMachine empty: from the start
   */
  List<RestorePoint> after(String machine, String afterMachine, long afterSequence, int limit);

  /** Files of committed points of one machine, by sequence; empty when there is none. Blocks. */
  List<Path> files(String machine);

  /**
   * A point was looked at: what is listed of it may be out of date. Blocks.
   *
   * @param machine whose it is by where it was found
   */
  void looked(String machine, Path file);

  /** Whether {@link #checked} is remembered: a list without a database has nowhere to. */
  boolean remembersChecks();

  /** Every block of a point was checked. Blocks; a failure costs another check, and is logged. */
  void checked(Path file, Instant at);

  /** Every machine that has points, by name. Blocks. */
  List<String> machines();
}
