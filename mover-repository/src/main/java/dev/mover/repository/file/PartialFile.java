package dev.mover.repository.file;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.Codec;
import dev.mover.api.block.Envelope;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.extent.ExtentFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The backup file of a session that has not committed: only ever appended to. Slots may be appended
 * by several threads at once; each gets its own place. All methods block. After a failed write or
 * sync the file is only good for being abandoned.
 */
public final class PartialFile implements AutoCloseable {
  private final Path path;
  private final ExtentFile file;
  private final Superblock superblock;
  private long tail;
  private long nextSlot;
  private long storedBytes;

  private PartialFile(Path path, ExtentFile file, Superblock superblock) {
    this.path = path;
    this.file = file;
    this.superblock = superblock;
    this.tail = SlotHeader.occupied(Page.BYTES, superblock.slotAlignment());
  }

  /** Creates the file and writes its superblock. */
  public static PartialFile create(
      ExtentFiles files, Path path, Superblock superblock, BufferPool pool) {
    try {
      ExtentFile file = files.create(path);
      try {
        PointWriter.begin(file, superblock, pool);
        return new PartialFile(path, file, superblock);
      } catch (IOException | RuntimeException e) {
        file.close();
        throw e;
      }
    } catch (IOException e) {
      throw ExtentError.writing(path.toString(), Page.BYTES, e);
    }
  }

  public Path path() {
    return path;
  }

  public Superblock superblock() {
    return superblock;
  }

  public ExtentFile file() {
    return file;
  }

  /**
   * Writes a new slot whose payload stands at {@link SlotHeader#BYTES} in {@code buffer}; header
   * and zero padding are filled in here. The buffer stays the caller's.
   *
   * @param key number of the envelope's key in this file's table
   * @return where it lies
   */
  public MapEntry.Slot append(
      BlockBuffer buffer,
      Codec codec,
      BlockId id,
      int plainLength,
      int payloadLength,
      int crc,
      Envelope envelope,
      int key) {
    int stored = SlotHeader.BYTES + payloadLength;
    int padded = SlotHeader.occupied(stored, Page.BYTES);
    long offset;
    long slot;
    synchronized (this) {
      offset = reserve(occupied(stored));
      slot = nextSlot++;
    }
    new SlotHeader(codec, superblock.fileId(), slot, id, plainLength, payloadLength, crc, envelope)
        .write(buffer.bytes());
    buffer.bytes(stored, padded - stored).put(new byte[padded - stored]);
    write(buffer, padded, offset);
    return new MapEntry.Slot(0, stored, offset, id, key);
  }

  /**
   * Writes a slot of another file; {@code buffer} holds it from offset 0, padded. It becomes a slot
   * of this one: an origin stands for one copy on disk.
   */
  public MapEntry.Slot copy(BlockBuffer buffer, SlotHeader header, int key) {
    return append(
        buffer,
        header.codec(),
        header.id(),
        header.plainLength(),
        header.payloadLength(),
        header.payloadCrc(),
        header.envelope(),
        key);
  }

  /** What a slot takes, with its padding. */
  public int occupied(int storedLength) {
    return SlotHeader.occupied(storedLength, superblock.slotAlignment());
  }

  /** Room at the end for a clone of {@code length} bytes, a multiple of the slot alignment. */
  public synchronized long reserve(long length) {
    long offset = tail;
    tail += length;
    return offset;
  }

  public synchronized long tail() {
    return tail;
  }

  /** Bytes of slots written, with padding; clones not counted. */
  public synchronized long storedBytes() {
    return storedBytes;
  }

  /** Makes every write that returned before this call durable. */
  public void sync() {
    try {
      file.sync();
    } catch (IOException e) {
      throw ExtentError.writing(path.toString(), 0, e);
    }
  }

  private void write(BlockBuffer buffer, int length, long offset) {
    ByteBuffer bytes = buffer.bytes(0, length);
    try {
      file.write(bytes, offset);
    } catch (IOException e) {
      throw ExtentError.writing(path.toString(), length, e);
    }
    synchronized (this) {
      storedBytes += length;
    }
  }

  @Override
  public void close() {
    file.close();
  }
}
