package dev.mover.repository.extent;

import dev.mover.api.linux.LinuxFile;
import dev.mover.api.linux.LinuxFile.Flag;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** The real thing: every call is one system call on a {@link LinuxFile}. */
public final class LinuxExtentFiles implements ExtentFiles {
  private final boolean direct;

  public LinuxExtentFiles(boolean direct) {
    this.direct = direct;
  }

  @Override
  public ExtentFile create(Path path) throws IOException {
    return new Open(
        direct
            ? LinuxFile.open(path, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE, Flag.DIRECT)
            : LinuxFile.open(path, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE));
  }

  @Override
  public ExtentFile open(Path path) throws IOException {
    return new Open(
        direct ? LinuxFile.open(path, Flag.READ, Flag.DIRECT) : LinuxFile.open(path, Flag.READ));
  }

  @Override
  public ExtentFile openToPunch(Path path) throws IOException {
    return new Open(
        direct ? LinuxFile.open(path, Flag.WRITE, Flag.DIRECT) : LinuxFile.open(path, Flag.WRITE));
  }

  @Override
  public ExtentFile scratch(Path path) throws IOException {
    return new Open(LinuxFile.open(path, Flag.WRITE, Flag.CREATE, Flag.TRUNCATE));
  }

  @Override
  public void renameWithoutReplacing(Path from, Path to) throws IOException {
    LinuxFile.renameWithoutReplacing(from, to);
  }

  @Override
  public void exchange(Path one, Path other) throws IOException {
    LinuxFile.exchange(one, other);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    LinuxFile.syncDirectory(directory);
  }

  @Override
  public void delete(Path path) throws IOException {
    Files.deleteIfExists(path);
  }

  private record Open(LinuxFile descriptor) implements ExtentFile {
    @Override
    public String name() {
      return descriptor.name();
    }

    @Override
    public long size() throws IOException {
      return descriptor.size();
    }

    @Override
    public int read(ByteBuffer into, long offset) throws IOException {
      return descriptor.read(into, offset);
    }

    @Override
    public void write(ByteBuffer from, long offset) throws IOException {
      descriptor.write(from, offset);
    }

    @Override
    public void cloneFrom(ExtentFile source, long sourceOffset, long length, long offset)
        throws IOException {
      descriptor.cloneRange(source.descriptor(), sourceOffset, length, offset);
    }

    @Override
    public void punch(long offset, long length) throws IOException {
      descriptor.punchHole(offset, length);
    }

    @Override
    public void sync() throws IOException {
      descriptor.sync();
    }

    @Override
    public void close() {
      descriptor.closeQuietly();
    }
  }
}
