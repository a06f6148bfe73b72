package dev.mover.repository.extent;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Every way a repository touches its directory while it runs. One small type, so that tests can put
 * a layer in that records, fails or forgets writes.
 */
public interface ExtentFiles {
  /** A new backup file; fails if it exists. Direct where the extent can. */
  ExtentFile create(Path path) throws IOException;

  /** An existing backup file, for reading and as a clone source. Direct where the extent can. */
  ExtentFile open(Path path) throws IOException;

  /** An existing backup file, to free parts of it. */
  ExtentFile openToPunch(Path path) throws IOException;

  /** A new or emptied file through the page cache, for scratch that needs no sync. */
  ExtentFile scratch(Path path) throws IOException;

  /** Renames; fails if {@code to} exists. */
  void renameWithoutReplacing(Path from, Path to) throws IOException;

  /** Exchanges two names at once; fails when either is not there. */
  void exchange(Path one, Path other) throws IOException;

  /** Makes names created, renamed and removed in {@code directory} durable. */
  void syncDirectory(Path directory) throws IOException;

  void delete(Path path) throws IOException;
}
