package dev.mover.repository.removal;

import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says what was deleted, and why: a logger of its own, which is on where others are not. */
final class DeletionLog {
  private static final Logger LOG = LoggerFactory.getLogger("dev.mover.deletion");

  private DeletionLog() {}

  static void deleted(Path file, String why) {
    LOG.info("{}: deleted, {}", file, why);
  }
}
