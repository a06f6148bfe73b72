package dev.mover.repository;

import dev.mover.api.linux.LinuxFile;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.LinuxExtentFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** A layer that counts what changes the directory, and fails what a test says. */
final class FaultyFiles implements ExtentFiles {
  private ExtentFiles files = new LinuxExtentFiles(true);

  /** Every clone fails while set. */
  final AtomicBoolean clonesFail = new AtomicBoolean();

  /** Changes so far: writes, clones, syncs, renames of backup files and folders. */
  final AtomicLong changes = new AtomicLong();

  /** From this change on, all fail: the disk is gone. */
  final AtomicLong failFrom = new AtomicLong(Long.MAX_VALUE);

  /** From this change on there is no room for any that takes some. */
  final AtomicLong fullFrom = new AtomicLong(Long.MAX_VALUE);

  final AtomicLong clones = new AtomicLong();

  private final AtomicLong failingOffset = new AtomicLong(-1);
  private final AtomicInteger failingReads = new AtomicInteger();
  private final AtomicReference<CountDownLatch> held = new AtomicReference<>(new CountDownLatch(0));
  private final AtomicReference<CountDownLatch> heldSyncs =
      new AtomicReference<>(new CountDownLatch(0));

  /** Syncs that wait. */
  final AtomicInteger waitingSyncs = new AtomicInteger();

  /** Lies over those files from now on; a repository that is opened again is all right again. */
  FaultyFiles over(ExtentFiles below) {
    files = below;
    clones.set(0);
    clonesFail.set(false);
    changes.set(0);
    failFrom.set(Long.MAX_VALUE);
    fullFrom.set(Long.MAX_VALUE);
    failingReads.set(0);
    held.set(new CountDownLatch(0));
    heldSyncs.set(new CountDownLatch(0));
    return this;
  }

  /** The next {@code times} reads of slots or pages at that offset of any file fail. */
  void failReads(long offset, int times) {
    failingOffset.set(offset);
    failingReads.set(times);
  }

  /** All reads that were to fail did. */
  void assertReadsFailed() {
    if (failingReads.get() != 0) {
      throw new AssertionError(failingReads.get() + " reads did not fail");
    }
  }

  /** Syncs of files wait for {@code gate} from now on. */
  void holdSyncs(CountDownLatch gate) {
    heldSyncs.set(gate);
  }

  /** Writes wait for {@code gate} from now on. */
  void holdWrites(CountDownLatch gate) {
    held.set(gate);
  }

  private static void waitFor(CountDownLatch gate) throws IOException {
    try {
      gate.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private void change(String what) throws IOException {
    if (changes.getAndIncrement() >= failFrom.get()) {
      throw new IOException(what + ": the disk is gone");
    }
  }

  /** A change that takes room. */
  private void grow(String what, String name) throws IOException {
    if (changes.get() >= fullFrom.get()) {
      throw new FileSystemException(name, null, "No space left on device");
    }
    change(what);
  }

  @Override
  public ExtentFile create(Path path) throws IOException {
    grow("create", path.toString());
    return new Faulty(files.create(path));
  }

  @Override
  public ExtentFile open(Path path) throws IOException {
    return new Faulty(files.open(path));
  }

  @Override
  public ExtentFile openToPunch(Path path) throws IOException {
    return new Faulty(files.openToPunch(path));
  }

  @Override
  public ExtentFile scratch(Path path) throws IOException {
    return files.scratch(path);
  }

  @Override
  public void renameWithoutReplacing(Path from, Path to) throws IOException {
    grow("rename", to.toString());
    files.renameWithoutReplacing(from, to);
  }

  @Override
  public void exchange(Path one, Path other) throws IOException {
    change("exchange");
    files.exchange(one, other);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    change("sync directory");
    files.syncDirectory(directory);
  }

  @Override
  public void delete(Path path) throws IOException {
    change("delete");
    files.delete(path);
  }

  private final class Faulty implements ExtentFile {
    private final ExtentFile file;

    Faulty(ExtentFile file) {
      this.file = file;
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
      if (offset == failingOffset.get() && failingReads.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
        throw new IOException("input/output error in this test");
      }
      return file.read(into, offset);
    }

    @Override
    public void write(ByteBuffer from, long offset) throws IOException {
      grow("write", file.name());
      waitFor(held.get());
      file.write(from, offset);
    }

    @Override
    public void cloneFrom(ExtentFile source, long sourceOffset, long length, long offset)
        throws IOException {
      grow("clone", file.name());
      if (clonesFail.get()) {
        throw new IOException("cloning fails in this test");
      }
      clones.incrementAndGet();
      file.cloneFrom(source, sourceOffset, length, offset);
    }

    @Override
    public void punch(long offset, long length) throws IOException {
      change("punch");
      file.punch(offset, length);
    }

    @Override
    public void sync() throws IOException {
      waitingSyncs.incrementAndGet();
      waitFor(heldSyncs.get());
      waitingSyncs.decrementAndGet();
      change("sync");
      file.sync();
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
