package dev.mover.deploy.bench;

import dev.mover.api.block.Codec;
import dev.mover.api.linux.LinuxFile;
import dev.mover.api.linux.LinuxFile.Flag;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Packed blocks one after the other, each from a multiple of 4 KiB on, and a list of them in a
 * second file: the least a repository could do. Appending is thread-safe; a block's memory is the
 * caller's again on return.
 */
final class PackedFile implements AutoCloseable {
  private static final int ALIGNMENT = BufferPool.ALIGNMENT;

  private final LinuxFile file;
  private final Path list;
  private final long imageBytes;
  private final List<Entry> entries;
  private final AtomicLong end = new AtomicLong();

  private PackedFile(LinuxFile file, Path list, long imageBytes, List<Entry> entries) {
    this.file = file;
    this.list = list;
    this.imageBytes = imageBytes;
    this.entries = entries;
  }

  /** Where a block's payload lies. */
  record Entry(long block, int plainLength, Codec codec, long offset, int length) {}

  static PackedFile create(Path path, long imageBytes) throws IOException {
    LinuxFile file = LinuxFile.open(path, Flag.WRITE, Flag.CREATE, Flag.TRUNCATE, Flag.DIRECT);
    return new PackedFile(file, list(path), imageBytes, new ArrayList<>());
  }

  static PackedFile open(Path path) throws IOException {
    List<Entry> entries = new ArrayList<>();
    long imageBytes;
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(list(path))))) {
      imageBytes = in.readLong();
      for (int count = in.readInt(); count > 0; count--) {
        entries.add(
            new Entry(
                in.readLong(),
                in.readInt(),
                Codec.of(in.readInt()).orElseThrow(),
                in.readLong(),
                in.readInt()));
      }
    }
    return new PackedFile(
        LinuxFile.open(path, Flag.READ, Flag.DIRECT), list(path), imageBytes, entries);
  }

  private static Path list(Path path) {
    return path.resolveSibling(path.getFileName() + ".list");
  }

  void append(long block, int plainLength, Codec codec, BlockBuffer payload, int length)
      throws IOException {
    int padded = padded(length);
    long offset = end.getAndAdd(padded);
    file.write(payload, padded, offset);
    synchronized (this) {
      entries.add(new Entry(block, plainLength, codec, offset, length));
    }
  }

  void read(Entry entry, BlockBuffer into) throws IOException {
    file.read(into, padded(entry.length), entry.offset);
  }

  long imageBytes() {
    return imageBytes;
  }

  List<Entry> entries() {
    return entries;
  }

  /** Makes blocks and list durable. */
  void finish() throws IOException {
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(list)))) {
      out.writeLong(imageBytes);
      out.writeInt(entries.size());
      for (Entry entry : entries) {
        out.writeLong(entry.block);
        out.writeInt(entry.plainLength);
        out.writeInt(entry.codec.number());
        out.writeLong(entry.offset);
        out.writeInt(entry.length);
      }
    }
    file.sync();
  }

  private static int padded(int length) {
    return Math.ceilDiv(length, ALIGNMENT) * ALIGNMENT;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
