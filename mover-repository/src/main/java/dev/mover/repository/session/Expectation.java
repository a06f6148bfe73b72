package dev.mover.repository.session;

import dev.mover.api.error.RepositoryException;
import dev.mover.api.point.Name;
import dev.mover.api.point.RestorePoint;
import dev.mover.repository.catalogue.PointCatalogue;
import dev.mover.repository.extent.ExtentLayout.Found;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much a machine's next backup will write, learned from its last points: the most of three. The
 * first one, which held all, says little of those that come after it; with no other a tenth of it
 * is expected. Of a machine without points nothing is known, and nothing expected.
 */
final class Expectation {
  private static final Logger LOG = LoggerFactory.getLogger(Expectation.class);
  private static final int POINTS = 3;

  /** Of a disk, the part that changes from backup to backup as a rule. */
  private static final int CHANGE_SHARE = 10;

  private final PointCatalogue catalogue;

  Expectation(PointCatalogue catalogue) {
    this.catalogue = catalogue;
  }

  /**
   * In bytes. Blocks.
   *
   * @param points the machine's files, by sequence
   */
  long of(Name machine, List<Found> points) {
    if (points.isEmpty()) {
      return 0;
    }
    if (points.size() == 1) {
      return newBytes(machine, points.getFirst()) / CHANGE_SHARE;
    }
    return points.subList(Math.max(1, points.size() - POINTS), points.size()).stream()
        .mapToLong(point -> newBytes(machine, point))
        .max()
        .orElse(0);
  }

  private long newBytes(Name machine, Found point) {
    return find(machine, point.sequence())
        .filter(listed -> listed.fileId().equals(point.fileId()))
        .map(RestorePoint::newBytes)
        .orElse(0L);
  }

  private Optional<RestorePoint> find(Name machine, long sequence) {
    try {
      return catalogue.point(machine, sequence);
    } catch (RepositoryException e) {
      LOG.warn("what {} will write is not known: {}", machine, e.getMessage());
      return Optional.empty();
    }
  }
}
