package dev.mover.transport.frame;

import dev.mover.api.point.RestorePoint;
import java.util.List;

/**
 * A batch of restore points, by machine (compared as UTF-8 bytes) and sequence: the answer to one
 * {@link ListPoints}.
 *
 * @param points 0 to {@link #MAX_POINTS}
 * @param last no more after these
 */
public record Points(List<RestorePoint> points, boolean last) implements Frame {
  /** Keeps a batch of points with a few disks each well below the largest frame. */
  public static final int MAX_POINTS = 64;

  public Points {
    points = List.copyOf(points);
  }
}
