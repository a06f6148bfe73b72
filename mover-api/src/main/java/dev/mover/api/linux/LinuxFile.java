package dev.mover.api.linux;

import dev.mover.api.memory.BlockBuffer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An open file or block device. Positional reads and writes from any number of threads at once; an
 * interrupt does not close it, as it would a shared {@code FileChannel}. Every method may block.
 *
 * <p>With {@link Flag#DIRECT} the memory must be 4 KiB aligned, and offset and length multiples of
 * the device's logical sector (use 4 KiB); a read past the end of the file returns fewer bytes.
 */
public final class LinuxFile implements AutoCloseable {
  /** How to open: exactly one of READ and WRITE (which reads as well), and any of the others. */
  public enum Flag {
    READ(0),
    /** Read and write. */
    WRITE(2),
    CREATE(0x40),
    /** With CREATE: fail if it exists. On a block device: fail if it is mounted or in use. */
    EXCLUSIVE(0x80),
    TRUNCATE(0x200),
    /** Past the page cache. */
    DIRECT(System.getProperty("os.arch", "").equals("aarch64") ? 0x10000 : 0x4000),
    DIRECTORY(System.getProperty("os.arch", "").equals("aarch64") ? 0x4000 : 0x10000);

    private final int bits;

    Flag(int bits) {
      this.bits = bits;
    }
  }

  private static final int O_CLOEXEC = 0x80000;
  private static final int SEEK_END = 2;
  private static final int SEEK_DATA = 3;

  private static final long FICLONERANGE = 0x4020940dL;
  private static final long FS_IOC_FIEMAP = 0xc020660bL;
  private static final long BLKGETSIZE64 = 0x80081272L;
  private static final long BLKSSZGET = 0x1268L;
  private static final long BLKZEROOUT = 0x127fL;

  private static final int FALLOC_KEEP_SIZE = 1;
  private static final int FALLOC_PUNCH_HOLE = 2;

  private static final int FIEMAP_HEADER = 32;
  private static final int FIEMAP_EXTENT = 56;
  private static final int FIEMAP_MOST = 256;
  private static final int EXTENT_SHARED = 0x2000;

  /** Unknown place, delayed, encoded, encrypted, not aligned, inline, tail: no plain piece. */
  private static final int EXTENT_NOT_PLAIN = 0x2 | 0x4 | 0x8 | 0x80 | 0x100 | 0x200 | 0x400;

  private static final int F_OFD_SETLK = 37;
  private static final short F_WRLCK = 1;
  private static final short F_RDLCK = 0;
  private static final int RENAME_NOREPLACE = 1;
  private static final int RENAME_EXCHANGE = 2;

  /** The smallest logical sector: a direct read that ends elsewhere has met the end of the file. */
  private static final int SECTOR = 512;

  private static final int STATX_BYTES = 256;
  private static final int STATX_BLOCKS = 0x400;
  private static final int STATX_BLOCKS_AT = 48;

  private final int fd;
  private final String name;
  private final boolean direct;
  private final AtomicBoolean closed = new AtomicBoolean();

  private LinuxFile(int fd, String name, boolean direct) {
    this.fd = fd;
    this.name = name;
    this.direct = direct;
  }

  public static LinuxFile open(Path path, Flag... flags) throws LinuxException {
    int bits = O_CLOEXEC;
    for (Flag flag : flags.length == 0 ? Set.of(Flag.READ) : EnumSet.of(flags[0], flags)) {
      bits |= flag.bits;
    }
    boolean direct = (bits & Flag.DIRECT.bits) != 0;
    return new LinuxFile(Libc.open(path.toString(), bits, 0640), path.toString(), direct);
  }

  /** Renames within one file system; fails with EEXIST when {@code to} exists. */
  public static void renameWithoutReplacing(Path from, Path to) throws LinuxException {
    Libc.renameat2(from.toString(), to.toString(), RENAME_NOREPLACE);
  }

  /** Exchanges two names of one file system at once; fails with ENOENT when one is not there. */
  public static void exchange(Path one, Path other) throws LinuxException {
    Libc.renameat2(one.toString(), other.toString(), RENAME_EXCHANGE);
  }

  /** Makes created, renamed and removed names in {@code directory} durable. */
  public static void syncDirectory(Path directory) throws LinuxException {
    try (LinuxFile open = open(directory, Flag.READ, Flag.DIRECTORY)) {
      open.sync();
    }
  }

  /** Bytes that a file takes on disk: holes not counted, what it shares with others in full. */
  public static long occupiedBytes(Path path) throws LinuxException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment status = arena.allocate(STATX_BYTES, Long.BYTES);
      Libc.statx(path.toString(), STATX_BLOCKS, status);
      return status.get(ValueLayout.JAVA_LONG, STATX_BLOCKS_AT) * SECTOR;
    }
  }

  /** Makes everything written to the file system of {@code path} durable; it settles meanwhile. */
  public static void syncFileSystem(Path path) throws LinuxException {
    try (LinuxFile open = open(path)) {
      Libc.syncfs(open.fd, open.name);
    }
  }

  public String name() {
    return name;
  }

  /** Size in bytes of a file or block device. */
  public long size() throws LinuxException {
    return Libc.lseek(fd, 0, SEEK_END, name);
  }

  /**
   * Reads up to {@code length} bytes at {@code offset} into the start of {@code into}; returns
   * fewer only at the end of the file.
   */
  public int read(BlockBuffer into, int length, long offset) throws LinuxException {
    return read(into.segment(), length, offset);
  }

  /**
   * As {@link #read(BlockBuffer, int, long)}, into a direct buffer's remaining bytes; moves its
   * position.
   */
  public int read(ByteBuffer into, long offset) throws LinuxException {
    int n = read(MemorySegment.ofBuffer(into), into.remaining(), offset);
    into.position(into.position() + n);
    return n;
  }

  private int read(MemorySegment into, int length, long offset) throws LinuxException {
    int done = 0;
    while (done < length) {
      MemorySegment rest = into.asSlice(done, length - done); // within the memory, or it throws
      long n = Libc.pread(fd, rest, length - done, offset + done, name);
      if (n == 0) {
        break;
      }
      done += (int) n;
      if (direct && done % SECTOR != 0) {
        break; // going on from an unaligned end would be EINVAL; at an aligned one the answer is 0
      }
    }
    return done;
  }

  /** Writes {@code length} bytes from the start of {@code from} at {@code offset}, all of them. */
  public void write(BlockBuffer from, int length, long offset) throws LinuxException {
    write(from.segment(), length, offset);
  }

  /**
   * As {@link #write(BlockBuffer, int, long)}, a direct buffer's remaining bytes; moves its
   * position.
   */
  public void write(ByteBuffer from, long offset) throws LinuxException {
    write(MemorySegment.ofBuffer(from), from.remaining(), offset);
    from.position(from.limit());
  }

  private void write(MemorySegment from, int length, long offset) throws LinuxException {
    int done = 0;
    while (done < length) {
      MemorySegment rest = from.asSlice(done, length - done); // within the memory, or it throws
      int n = (int) Libc.pwrite(fd, rest, length - done, offset + done, name);
      if (n == 0) {
        throw new LinuxException("write", name, LinuxException.EIO); // or it would never end
      }
      done += n;
    }
  }

  /** Makes content and size durable. After a failure the file's state is unknown: don't retry. */
  public void sync() throws LinuxException {
    Libc.fsync(fd, name);
  }

  public void truncate(long length) throws LinuxException {
    Libc.ftruncate(fd, length, name);
  }

  /** Frees the range; it reads as zeros. The size stays. */
  public void punchHole(long offset, long length) throws LinuxException {
    Libc.fallocate(fd, FALLOC_KEEP_SIZE | FALLOC_PUNCH_HOLE, offset, length, name);
  }

  /**
   * First offset at or after {@code offset} that may hold data; −1 when only a hole is left. A
   * block device has no holes.
   */
  public long nextData(long offset) throws LinuxException {
    try {
      return Libc.lseek(fd, offset, SEEK_DATA, name);
    } catch (LinuxException e) {
      return switch (e.errno()) {
        case LinuxException.ENXIO -> -1;
        case LinuxException.EINVAL -> offset < size() ? offset : -1; // a device doesn't know
        default -> throw e;
      };
    }
  }

  /**
   * Makes {@code length} bytes at {@code offset} share the blocks of {@code source}. Offsets and
   * length must be multiples of the file system's clone granularity, unless the range ends at the
   * source's end. Waits for all direct I/O on both files. Durable only after {@link #sync} of this
   * file; after a failure a prefix may have been cloned.
   */
  public void cloneRange(LinuxFile source, long sourceOffset, long length, long offset)
      throws LinuxException {
    try (Arena arena = Arena.ofConfined()) {
      // struct file_clone_range: s64 src_fd, u64 src_offset, u64 src_length, u64 dest_offset
      MemorySegment range = arena.allocate(32, 8);
      range.set(ValueLayout.JAVA_LONG, 0, source.fd);
      range.set(ValueLayout.JAVA_LONG, 8, sourceOffset);
      range.set(ValueLayout.JAVA_LONG, 16, length);
      range.set(ValueLayout.JAVA_LONG, 24, offset);
      Libc.ioctl("clone into", fd, FICLONERANGE, range, name);
    }
  }

  /**
   * Up to {@value #FIEMAP_MOST} pieces of the file from {@code offset} on, ascending; none: no more
   * follow. Holes are left out.
   */
  public List<DiskExtent> extents(long offset) throws LinuxException {
    try (Arena arena = Arena.ofConfined()) {
      // struct fiemap: u64 start, u64 length, u32 flags, u32 mapped, u32 room, u32 reserved, then
      // struct fiemap_extent: u64 logical, u64 physical, u64 length, 2 u64, u32 flags, 3 u32
      MemorySegment map = arena.allocate(FIEMAP_HEADER + FIEMAP_MOST * FIEMAP_EXTENT, 8);
      map.set(ValueLayout.JAVA_LONG, 0, offset);
      map.set(ValueLayout.JAVA_LONG, 8, Long.MAX_VALUE - offset);
      map.set(ValueLayout.JAVA_INT, 24, FIEMAP_MOST);
      Libc.ioctl("map", fd, FS_IOC_FIEMAP, map, name);
      int count = Math.min(FIEMAP_MOST, map.get(ValueLayout.JAVA_INT, 20));
      List<DiskExtent> extents = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        long at = FIEMAP_HEADER + (long) i * FIEMAP_EXTENT;
        int flags = map.get(ValueLayout.JAVA_INT, at + 40);
        extents.add(
            new DiskExtent(
                map.get(ValueLayout.JAVA_LONG, at),
                map.get(ValueLayout.JAVA_LONG, at + 8),
                map.get(ValueLayout.JAVA_LONG, at + 16),
                (flags & EXTENT_SHARED) != 0,
                (flags & EXTENT_NOT_PLAIN) == 0));
      }
      return extents;
    }
  }

  /**
   * Takes the whole file for this open file description, without waiting; false when somebody else
   * (qemu does the same) has a part of it. The lock ends with this descriptor, so with the process.
   */
  public boolean tryLock(boolean exclusive) throws LinuxException {
    try (Arena arena = Arena.ofConfined()) {
      // struct flock: s16 type, s16 whence, (4 pad), s64 start, s64 length (0 = to the end), s32
      // pid
      MemorySegment lock = arena.allocate(32, 8);
      lock.set(ValueLayout.JAVA_SHORT, 0, exclusive ? F_WRLCK : F_RDLCK);
      Libc.fcntl("lock", fd, F_OFD_SETLK, lock, name);
      return true;
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.EAGAIN || e.errno() == LinuxException.EACCES) {
        return false;
      }
      throw e;
    }
  }

  /** Size of a block device in bytes, by ioctl. */
  public long deviceSize() throws LinuxException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(8, 8);
      Libc.ioctl("size of", fd, BLKGETSIZE64, out, name);
      return out.get(ValueLayout.JAVA_LONG, 0);
    }
  }

  /** Logical sector size of a block device, by ioctl. */
  public int deviceSectorSize() throws LinuxException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(8, 8);
      Libc.ioctl("sector size of", fd, BLKSSZGET, out, name);
      return out.get(ValueLayout.JAVA_INT, 0);
    }
  }

  /** Makes a sector-aligned range of a block device read as zeros, by the device where it can. */
  public void zeroDevice(long offset, long length) throws LinuxException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment range = arena.allocate(16, 8);
      range.set(ValueLayout.JAVA_LONG, 0, offset);
      range.set(ValueLayout.JAVA_LONG, 8, length);
      Libc.ioctl("zero", fd, BLKZEROOUT, range, name);
    }
  }

  /** Closes the descriptor once; later calls do nothing. */
  @Override
  public void close() throws LinuxException {
    if (closed.compareAndSet(false, true)) {
      Libc.close(fd, name);
    }
  }

  /** Closes where an error could only hide another one: nothing was written, or all was synced. */
  public void closeQuietly() {
    try {
      close();
    } catch (IOException e) {
      // The descriptor is gone either way (close(2)); what matters was synced or is abandoned.
    }
  }
}
