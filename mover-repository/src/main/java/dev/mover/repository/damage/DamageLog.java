package dev.mover.repository.damage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The file {@code damaged} of a repository: only appended to, a record in one write, so that a
 * verification beside the daemon may add to it too. It is opened anew for every access, because the
 * daemon replaces it when it starts. One thread at a time; blocks.
 */
final class DamageLog {
  private static final int CHUNK_BYTES = 1024 * DamageRecord.BYTES;

  private final Path path;
  private long readBytes;
  private boolean unsynced;

  DamageLog(Path path) {
    this.path = path;
  }

  Path path() {
    return path;
  }

  /** Makes the file where there is none: who adds to it beside the daemon must not own it. */
  void create() throws IOException {
    if (!Files.exists(path)) {
      Files.createFile(path);
    }
  }

  /** Gives every whole record that was appended since the last call, in order. */
  void readOn(Consumer<DamageRecord> records) throws IOException {
    if (!Files.exists(path) || Files.size(path) - readBytes < DamageRecord.BYTES) {
      return;
    }
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
    try (FileChannel in = FileChannel.open(path, StandardOpenOption.READ)) {
      while (in.read(chunk.clear(), readBytes) >= DamageRecord.BYTES) {
        chunk.flip();
        while (chunk.remaining() >= DamageRecord.BYTES) {
          DamageRecord.read(chunk).ifPresent(records);
          readBytes += DamageRecord.BYTES;
        }
      }
    }
  }

  /** How many records were read, damaged ones counted. */
  long readRecords() {
    return readBytes / DamageRecord.BYTES;
  }

  /** Survives a kill; a power cut after {@link #sync}. */
  void append(DamageRecord record) throws IOException {
    ByteBuffer out = ByteBuffer.allocate(DamageRecord.BYTES);
    record.write(out);
    try (FileChannel to = FileChannel.open(path, StandardOpenOption.APPEND)) {
      to.write(out.flip());
    }
    unsynced = true;
  }

  void sync() throws IOException {
    if (unsynced) {
      try (FileChannel to = FileChannel.open(path, StandardOpenOption.WRITE)) {
        to.force(true);
      }
      unsynced = false;
    }
  }

  /** Puts other records in place of all, at once or not at all. */
  void replace(List<DamageRecord> records) throws IOException {
    Path fresh = path.resolveSibling(path.getFileName() + ".new");
    try (FileChannel to =
        FileChannel.open(
            fresh,
            StandardOpenOption.WRITE,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
      for (DamageRecord record : records) {
        record.write(chunk);
        if (!chunk.hasRemaining()) {
          write(to, chunk);
        }
      }
      write(to, chunk);
      to.force(true);
      Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
    }
    readBytes = (long) records.size() * DamageRecord.BYTES;
  }

  /** Bytes of a last record that was cut off; whatever is appended after them can't be read. */
  Optional<String> tornTail() throws IOException {
    return Files.exists(path) && Files.size(path) % DamageRecord.BYTES != 0
        ? Optional.of(path + " ends within a record")
        : Optional.empty();
  }

  private static void write(FileChannel to, ByteBuffer chunk) throws IOException {
    chunk.flip();
    while (chunk.hasRemaining()) {
      to.write(chunk);
    }
    chunk.clear();
  }
}
