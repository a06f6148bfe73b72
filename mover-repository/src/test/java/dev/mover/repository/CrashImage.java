package dev.mover.repository;

import dev.mover.repository.CrashLog.Entry;
import dev.mover.repository.CrashLog.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** What a crash leaves of the steps in a {@link CrashLog}. */
final class CrashImage {
  /** What became of steps that were not yet made durable. */
  enum Loss {
    /** All there: the process was killed, the machine lives. */
    NONE,
    /** All gone: the power failed before anything was written out by itself. */
    ALL,
    /** Some: the power failed, and each page and each name took its chance. */
    SOME
  }

  /** A write is torn at pages: a sector's worth would be torn within what a checksum covers. */
  private static final int TORN_BYTES = 4096;

  private final List<Entry> entries;
  private final int end;
  private final BooleanSupplier survives;
  private final Map<Integer, byte[]> contents = new HashMap<>();
  private final Map<Path, Integer> names = new HashMap<>();

  /**
   * @param end the crash comes just before the step of that number
   */
  CrashImage(List<Entry> entries, int end, Loss loss, Random random) {
    this.entries = entries;
    this.end = end;
    this.survives =
        switch (loss) {
          case NONE -> () -> true;
          case ALL -> () -> false;
          case SOME -> random::nextBoolean;
        };
    for (int i = 0; i < end; i++) {
      apply(i);
    }
  }

  private void apply(int at) {
    switch (entries.get(at).step()) {
      case Step.Create(int file, Path path) -> {
        contents.put(file, new byte[0]);
        if (isNameDurable(path, at) || survives.getAsBoolean()) {
          names.put(path, file);
        }
      }
      case Step.Write(int file, long offset, byte[] bytes) -> {
        boolean durable = isDurable(file, at);
        for (int from = 0; from < bytes.length; from += TORN_BYTES) {
          if (durable || survives.getAsBoolean()) {
            int length = Math.min(TORN_BYTES, bytes.length - from);
            put(file, offset + from, Arrays.copyOfRange(bytes, from, from + length));
          }
        }
      }
      case Step.Clone(int file, int source, long sourceOffset, long length, long offset) -> {
        if (isDurable(file, at) || survives.getAsBoolean()) {
          byte[] from = Objects.requireNonNull(contents.get(source));
          put(
              file,
              offset,
              Arrays.copyOfRange(from, (int) sourceOffset, (int) (sourceOffset + length)));
        }
      }
      case Step.Punch(int file, long offset, long length) -> {
        boolean durable = isDurable(file, at);
        for (long from = offset; from < offset + length; from += TORN_BYTES) {
          if (durable || survives.getAsBoolean()) {
            punch(file, from, Math.min(TORN_BYTES, offset + length - from));
          }
        }
      }
      case Step.Rename(Path from, Path to) -> {
        Integer file = names.get(from);
        if (file != null && (isNameDurable(to, at) || survives.getAsBoolean())) {
          names.remove(from);
          names.put(to, file);
        }
      }
      case Step.Exchange(Path one, Path other) -> {
        Integer first = names.get(one);
        Integer second = names.get(other);
        if (first != null
            && second != null
            && (isNameDurable(other, at) || survives.getAsBoolean())) {
          names.put(one, second);
          names.put(other, first);
        }
      }
      case Step.Delete(Path path) -> {
        if (isNameDurable(path, at) || survives.getAsBoolean()) {
          names.remove(path);
        }
      }
      case Step.Sync _,
          Step.SyncFolder _,
          Step.Told _,
          Step.Doomed _,
          Step.Gone _,
          Step.Rotten _,
          Step.Healed _ -> {}
    }
  }

  /** Whether a sync that ended before the crash covers this step of the file. */
  private boolean isDurable(int file, int at) {
    return entries.subList(at + 1, end).stream()
        .anyMatch(e -> e.step() instanceof Step.Sync s && s.file() == file && s.covers() > at);
  }

  private boolean isNameDurable(Path path, int at) {
    return entries.subList(at + 1, end).stream()
        .anyMatch(
            e ->
                e.step() instanceof Step.SyncFolder s
                    && s.folder().equals(path.getParent())
                    && s.covers() > at);
  }

  private void punch(int file, long offset, long length) {
    byte[] bytes = Objects.requireNonNull(contents.get(file));
    int end = (int) Math.min(bytes.length, offset + length);
    if (offset < end) {
      Arrays.fill(bytes, (int) offset, end, (byte) 0);
    }
  }

  private void put(int file, long offset, byte[] bytes) {
    byte[] old = Objects.requireNonNull(contents.get(file));
    byte[] grown = Arrays.copyOf(old, Math.max(old.length, (int) offset + bytes.length));
    System.arraycopy(bytes, 0, grown, (int) offset, bytes.length);
    contents.put(file, grown);
  }

  /** Writes the files that are left below {@code to}, as they lay below {@code from}. */
  void writeTo(Path to, Path from) throws IOException {
    for (Map.Entry<Path, Integer> name : names.entrySet()) {
      Path path = to.resolve(from.relativize(name.getKey()));
      Files.createDirectories(Objects.requireNonNull(path.getParent()));
      Files.write(path, Objects.requireNonNull(contents.get(name.getValue())));
    }
  }
}
