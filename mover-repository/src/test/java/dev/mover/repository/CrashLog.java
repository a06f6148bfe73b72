package dev.mover.repository;

import dev.mover.api.linux.LinuxFile;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A layer that remembers everything done to a repository's backup files and folders, in order, so
 * that {@link CrashImage} can say what a crash at any moment would have left. The index is not
 * written through the layer: what it was at each moment is kept by {@code index}.
 */
final class CrashLog implements ExtentFiles {
  /** One step. Files have numbers: names come and go. */
  sealed interface Step {
    record Create(int file, Path path) implements Step {}

    record Write(int file, long offset, byte[] bytes) implements Step {}

    record Clone(int file, int source, long sourceOffset, long length, long offset)
        implements Step {}

    record Punch(int file, long offset, long length) implements Step {}

    /** All steps before {@code covers} are durable, as far as they are this file's content. */
    record Sync(int file, int covers) implements Step {}

    record Rename(Path from, Path to) implements Step {}

    record Exchange(Path one, Path other) implements Step {}

    record Delete(Path path) implements Step {}

    /** All names in {@code folder} that steps before {@code covers} made or took are durable. */
    record SyncFolder(Path folder, int covers) implements Step {}

    /** From here on a point may not be missing: its proxy was told. */
    record Told(String machine, long sequence) implements Step {}

    /** From here on it may be missing. */
    record Doomed(String machine, long sequence) implements Step {}

    /** From here on it may not be there: whoever deleted it was told. */
    record Gone(String machine, long sequence) implements Step {}

    /** From here on points may be damaged. */
    record Rotten() implements Step {}

    /** From here on they may not. */
    record Healed() implements Step {}
  }

  /** A step, and which copy of the index was there just before it. */
  record Entry(Step step, int index) {}

  /** Keeps a copy of the index as it is now; numbers rise with each one that differs. */
  @FunctionalInterface
  interface IndexCopies {
    int keep() throws IOException;
  }

  private final ExtentFiles files;
  private final IndexCopies index;
  private final List<Entry> entries = new ArrayList<>();
  private int mostEntries = Integer.MAX_VALUE;
  private final Map<Path, Integer> numbers = new HashMap<>();
  private int created;

  CrashLog(ExtentFiles files, IndexCopies index) {
    this.files = files;
    this.index = index;
  }

  synchronized List<Entry> entries() {
    return List.copyOf(entries);
  }

  /** Something that means nothing to the disk. */
  void mark(Step mark) throws IOException {
    add(mark);
  }

  /** Flips a byte of a file, for good. */
  void rot(Path path, long offset) throws IOException {
    mark(new Step.Rotten());
    byte[] rotten = new byte[1];
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.seek(offset);
      rotten[0] = (byte) (file.read() ^ 0x40);
      file.seek(offset);
      file.write(rotten);
      file.getFD().sync();
    }
    add(new Step.Write(number(path), offset, rotten));
    add(new Step.Sync(number(path), size()));
  }

  private synchronized int size() {
    return entries.size();
  }

  /**
   * The machine goes down before this many more steps are done: what is under way then, and all
   * that is tried later, fails.
   */
  synchronized void crashAfter(int steps) {
    mostEntries = entries.size() + steps;
  }

  synchronized boolean hasCrashed() {
    return entries.size() >= mostEntries;
  }

  /** Whether nothing is done any more after the step that is being added. */
  synchronized boolean isLastStep() {
    return entries.size() == mostEntries - 1;
  }

  private synchronized void add(Step step) throws IOException {
    if (hasCrashed()) {
      throw new IOException("the machine is down");
    }
    entries.add(new Entry(step, index.keep()));
  }

  /** Files that were there before, durably. */
  void addDurable(Path file) throws IOException {
    int number;
    synchronized (this) {
      number = created++;
      numbers.put(file, number);
    }
    add(new Step.Create(number, file));
    add(new Step.Write(number, 0, Files.readAllBytes(file)));
    add(new Step.Sync(number, size()));
    add(new Step.SyncFolder(Objects.requireNonNull(file.getParent()), size()));
  }

  private synchronized int number(Path path) {
    return numbers.getOrDefault(path, -1);
  }

  @Override
  public ExtentFile create(Path path) throws IOException {
    ExtentFile file = files.create(path);
    try {
      int number;
      synchronized (this) {
        number = created++;
        numbers.put(path, number);
      }
      add(new Step.Create(number, path));
      return new Logged(file, number);
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  @Override
  public ExtentFile open(Path path) throws IOException {
    return new Logged(files.open(path), number(path));
  }

  @Override
  public ExtentFile openToPunch(Path path) throws IOException {
    return new Logged(files.openToPunch(path), number(path));
  }

  @Override
  public ExtentFile scratch(Path path) throws IOException {
    return files.scratch(path);
  }

  @Override
  public void renameWithoutReplacing(Path from, Path to) throws IOException {
    files.renameWithoutReplacing(from, to);
    synchronized (this) {
      Integer number = numbers.remove(from);
      if (number != null) {
        numbers.put(to, number);
      }
    }
    add(new Step.Rename(from, to));
  }

  @Override
  public void exchange(Path one, Path other) throws IOException {
    files.exchange(one, other);
    synchronized (this) {
      Integer first = numbers.remove(one);
      Integer second = numbers.remove(other);
      if (first != null && second != null) {
        numbers.put(other, first);
        numbers.put(one, second);
      }
    }
    add(new Step.Exchange(one, other));
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    int covers = size();
    files.syncDirectory(directory);
    add(new Step.SyncFolder(directory, covers));
  }

  @Override
  public void delete(Path path) throws IOException {
    files.delete(path);
    add(new Step.Delete(path));
  }

  private final class Logged implements ExtentFile {
    private final ExtentFile file;
    private final int number;

    Logged(ExtentFile file, int number) {
      this.file = file;
      this.number = number;
    }

    @Override
    public String name() {
      return file.name();
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public int read(ByteBuffer into, long offset) throws IOException {
      return file.read(into, offset);
    }

    @Override
    public void write(ByteBuffer from, long offset) throws IOException {
      byte[] bytes = new byte[from.remaining()];
      from.duplicate().get(bytes);
      file.write(from, offset);
      add(new Step.Write(number, offset, bytes));
    }

    @Override
    public void cloneFrom(ExtentFile source, long sourceOffset, long length, long offset)
        throws IOException {
      Logged from = (Logged) source;
      file.cloneFrom(from.file, sourceOffset, length, offset);
      add(new Step.Clone(number, from.number, sourceOffset, length, offset));
    }

    @Override
    public void punch(long offset, long length) throws IOException {
      file.punch(offset, length);
      add(new Step.Punch(number, offset, length));
    }

    @Override
    public void sync() throws IOException {
      int covers = CrashLog.this.size();
      file.sync();
      add(new Step.Sync(number, covers));
    }

    @Override
    public LinuxFile descriptor() {
      return file.descriptor();
    }

    @Override
    public void close() {
      file.close();
    }
  }
}
