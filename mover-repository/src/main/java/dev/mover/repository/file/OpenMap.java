package dev.mover.repository.file;

import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.file.MapEntry.Slot;
import dev.mover.repository.file.MapEntry.Zeros;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The map of one disk of an open session: {@link MapEntry}s in disk order in a scratch file, one
 * window of it in memory, so that 16 TiB of disk cost 48 KiB here. Entries are appended; a slot's
 * place may be filled in later. Used by one thread at a time; blocks. The scratch is never synced:
 * it dies with the session.
 *
 * <p>In an open map {@link Slot#file} counts the session's source files, not yet a file table.
 */
public final class OpenMap implements AutoCloseable {
  private static final int WINDOW_ENTRIES = 1024;

  /** Fewer changes than this in one window are cheaper written one by one (2 µs each). */
  private static final int WORTH_A_WINDOW = 8;

  /** A slot's final place. */
  public record Filled(long entry, Slot slot) {}

  private final ExtentFile scratch;
  private final BufferPool pool;
  private final ByteBuffer single = ByteBuffer.allocateDirect(MapEntry.BYTES);
  private @Nullable Window window;
  private long entries;
  private long lastZeros;

  public OpenMap(ExtentFile scratch, BufferPool pool) {
    this.scratch = scratch;
    this.pool = pool;
  }

  public long entries() {
    return entries;
  }

  /** Adds an entry and returns its index; zeros after zeros make the last entry longer. */
  public long append(MapEntry entry) {
    MapEntry written = entry;
    if (entry instanceof Zeros zeros) {
      if (lastZeros > 0) {
        entries--;
      }
      lastZeros += zeros.blocks();
      written = new Zeros(lastZeros);
    } else {
      lastZeros = 0;
    }
    put(entries, written);
    return entries++;
  }

  public MapEntry get(long entry) {
    return MapEntry.read(windowOf(entry).at(entry));
  }

  /** Changes one entry wherever it is. */
  public void fill(long entry, Slot slot) {
    Window open = window;
    if (open != null && open.holds(entry)) {
      put(entry, slot);
      return;
    }
    single.clear();
    slot.write(single);
    try {
      scratch.write(single.flip(), entry * MapEntry.BYTES);
    } catch (IOException e) {
      throw ExtentError.writing(scratch.name(), MapEntry.BYTES, e);
    }
  }

  /** Changes many entries, given in ascending order. */
  public void fillAll(List<Filled> filled) {
    int from = 0;
    while (from < filled.size()) {
      long windowNumber = filled.get(from).entry() / WINDOW_ENTRIES;
      int to = from;
      while (to < filled.size() && filled.get(to).entry() / WINDOW_ENTRIES == windowNumber) {
        to++;
      }
      if (to - from >= WORTH_A_WINDOW) {
        windowOf(filled.get(from).entry());
      }
      filled.subList(from, to).forEach(f -> fill(f.entry(), f.slot()));
      from = to;
    }
  }

  /** Writes the window out and gives its memory back; it is taken again when needed. */
  public void park() {
    Window open = window;
    if (open != null) {
      try {
        open.flush();
      } finally {
        open.close();
        window = null;
      }
    }
  }

  private void put(long entry, MapEntry value) {
    Window open = windowOf(entry);
    value.write(open.at(entry));
    open.dirty = true;
  }

  private Window windowOf(long entry) {
    Window open = window;
    if (open == null) {
      open = new Window();
      window = open;
    }
    open.moveTo(entry);
    return open;
  }

  @Override
  public void close() {
    Window open = window;
    if (open != null) {
      open.close();
      window = null;
    }
    scratch.close();
  }

  /** {@value #WINDOW_ENTRIES} entries in memory. */
  private final class Window {
    private final BufferSet memory = pool.lease(WINDOW_ENTRIES * MapEntry.BYTES, 1, () -> {});
    private final BlockBuffer buffer =
        Objects.requireNonNull(memory.tryTake(), "a fresh lease has buffers");
    private long first = -1;
    private boolean dirty;

    boolean holds(long entry) {
      return first >= 0 && entry >= first && entry < first + WINDOW_ENTRIES;
    }

    ByteBuffer at(long entry) {
      return buffer.bytes((int) (entry - first) * MapEntry.BYTES, MapEntry.BYTES);
    }

    void moveTo(long entry) {
      if (holds(entry)) {
        return;
      }
      flush();
      first = entry / WINDOW_ENTRIES * WINDOW_ENTRIES;
      try {
        ByteBuffer into = buffer.bytes(0, WINDOW_ENTRIES * MapEntry.BYTES);
        scratch.read(into, first * MapEntry.BYTES);
      } catch (IOException e) {
        throw ExtentError.reading(scratch.name(), e);
      }
    }

    void flush() {
      if (!dirty) {
        return;
      }
      // Up to the last entry, the one being appended included: never more than was put.
      int used = (int) Math.min(WINDOW_ENTRIES, entries + 1 - first);
      ByteBuffer from = buffer.bytes(0, used * MapEntry.BYTES);
      try {
        scratch.write(from, first * MapEntry.BYTES);
      } catch (IOException e) {
        throw ExtentError.writing(scratch.name(), from.capacity(), e);
      }
      dirty = false;
    }

    void close() {
      buffer.release();
      memory.close();
    }
  }
}
