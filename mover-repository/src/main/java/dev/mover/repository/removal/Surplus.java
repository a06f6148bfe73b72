package dev.mover.repository.removal;

import dev.mover.api.point.RestorePoint;
import dev.mover.repository.catalogue.PointList;
import dev.mover.repository.extent.ExtentLayout.Found;
import dev.mover.repository.retention.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The points of a machine that a retention doesn't keep.
 *
 * @param hasPoints whether there are any points of it at all
 */
record Surplus(boolean hasPoints, Set<UUID> fileIds) {
  private static final int LISTED = 512;

  /** Looks them up; blocks. */
  static Surplus of(String machine, PointList list, RetentionPolicy policy) {
    List<RestorePoint> all = new ArrayList<>();
    List<RestorePoint> some = list.after(machine, "", 0, LISTED);
    while (!some.isEmpty()) {
      all.addAll(some);
      some = list.after(machine, machine, all.getLast().sequence(), LISTED);
    }
    return new Surplus(
        !all.isEmpty(),
        policy.surplus(all).stream().map(RestorePoint::fileId).collect(Collectors.toSet()));
  }

  boolean isEmpty() {
    return fileIds.isEmpty();
  }

  boolean has(Found point) {
    return fileIds.contains(point.fileId());
  }
}
