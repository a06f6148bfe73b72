package dev.mover.api.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The system calls as method handles. Every call captures errno into a segment of its thread. None
 * is linked as critical: each may block for seconds, and a critical call would hold up the
 * collector.
 */
@SuppressWarnings("restricted")
final class Libc {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final ThreadLocal<MemorySegment> CAPTURED =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(STATE));

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private static final MethodHandle OPEN = variadic("open", 2, ValueLayout.ADDRESS, INT, INT);
  private static final MethodHandle CLOSE = plain("close", INT, INT);
  private static final MethodHandle PREAD =
      plain("pread", LONG, INT, ValueLayout.ADDRESS, LONG, LONG);
  private static final MethodHandle PWRITE =
      plain("pwrite", LONG, INT, ValueLayout.ADDRESS, LONG, LONG);
  private static final MethodHandle FSYNC = plain("fsync", INT, INT);
  private static final MethodHandle SYNCFS = plain("syncfs", INT, INT);
  private static final MethodHandle FTRUNCATE = plain("ftruncate", INT, INT, LONG);
  private static final MethodHandle FALLOCATE = plain("fallocate", INT, INT, INT, LONG, LONG);
  private static final MethodHandle LSEEK = plain("lseek", LONG, INT, LONG, INT);
  private static final MethodHandle IOCTL = variadic("ioctl", 2, INT, LONG, ValueLayout.ADDRESS);
  private static final MethodHandle FCNTL = variadic("fcntl", 2, INT, INT, ValueLayout.ADDRESS);
  private static final MethodHandle RENAMEAT2 =
      plain("renameat2", INT, INT, ValueLayout.ADDRESS, INT, ValueLayout.ADDRESS, INT);
  private static final MethodHandle STATX =
      plain("statx", INT, INT, ValueLayout.ADDRESS, INT, INT, ValueLayout.ADDRESS);

  private Libc() {}

  static int open(String path, int flags, int mode) throws LinuxException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(path);
      return check("open", path, (int) OPEN.invokeExact(CAPTURED.get(), name, flags, mode));
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  static void close(int fd, String path) throws LinuxException {
    try {
      check("close", path, (int) CLOSE.invokeExact(CAPTURED.get(), fd));
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  static long pread(int fd, MemorySegment into, long length, long offset, String path)
      throws LinuxException {
    while (true) {
      try {
        long n = (long) PREAD.invokeExact(CAPTURED.get(), fd, into, length, offset);
        if (n >= 0 || errno() != LinuxException.EINTR) {
          return check("read", path, n);
        }
      } catch (Throwable t) {
        throw rethrow(t);
      }
    }
  }

  static long pwrite(int fd, MemorySegment from, long length, long offset, String path)
      throws LinuxException {
    while (true) {
      try {
        long n = (long) PWRITE.invokeExact(CAPTURED.get(), fd, from, length, offset);
        if (n >= 0 || errno() != LinuxException.EINTR) {
          return check("write", path, n);
        }
      } catch (Throwable t) {
        throw rethrow(t);
      }
    }
  }

  static void fsync(int fd, String path) throws LinuxException {
    try {
      check("fsync", path, (int) FSYNC.invokeExact(CAPTURED.get(), fd));
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  static void syncfs(int fd, String path) throws LinuxException {
    try {
      check("syncfs", path, (int) SYNCFS.invokeExact(CAPTURED.get(), fd));
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  static void ftruncate(int fd, long length, String path) throws LinuxException {
    try {
      check("truncate", path, (int) FTRUNCATE.invokeExact(CAPTURED.get(), fd, length));
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  static void fallocate(int fd, int mode, long offset, long length, String path)
      throws LinuxException {
    try {
      check(
          "fallocate", path, (int) FALLOCATE.invokeExact(CAPTURED.get(), fd, mode, offset, length));
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  static long lseek(int fd, long offset, int whence, String path) throws LinuxException {
    try {
      return check("seek", path, (long) LSEEK.invokeExact(CAPTURED.get(), fd, offset, whence));
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  static int ioctl(String what, int fd, long request, MemorySegment argument, String path)
      throws LinuxException {
    try {
      return check(what, path, (int) IOCTL.invokeExact(CAPTURED.get(), fd, request, argument));
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  static int fcntl(String what, int fd, int command, MemorySegment argument, String path)
      throws LinuxException {
    try {
      return check(what, path, (int) FCNTL.invokeExact(CAPTURED.get(), fd, command, argument));
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  static void renameat2(String from, String to, int flags) throws LinuxException {
    final int atFdCwd = -100;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment old = arena.allocateFrom(from);
      MemorySegment fresh = arena.allocateFrom(to);
      check(
          "rename",
          from + " to " + to,
          (int) RENAMEAT2.invokeExact(CAPTURED.get(), atFdCwd, old, atFdCwd, fresh, flags));
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  /** What {@code mask} asks for of a name, into a {@code struct statx}. */
  static void statx(String path, int mask, MemorySegment into) throws LinuxException {
    int atFdCwd = -100;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(path);
      check("statx", path, (int) STATX.invokeExact(CAPTURED.get(), atFdCwd, name, 0, mask, into));
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  private static int errno() {
    return (int) ERRNO.get(CAPTURED.get(), 0L);
  }

  private static int check(String call, String object, int result) throws LinuxException {
    return (int) check(call, object, (long) result);
  }

  private static long check(String call, String object, long result) throws LinuxException {
    if (result < 0) {
      throw new LinuxException(call, object, errno());
    }
    return result;
  }

  private static LinuxException rethrow(Throwable t) {
    return switch (t) {
      case LinuxException e -> e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new AssertionError(t);
    };
  }

  private static MethodHandle plain(String name, MemoryLayout result, MemoryLayout... arguments) {
    return link(name, FunctionDescriptor.of(result, arguments));
  }

  private static MethodHandle variadic(String name, int firstVariadic, MemoryLayout... arguments) {
    return link(
        name, FunctionDescriptor.of(INT, arguments), Linker.Option.firstVariadicArg(firstVariadic));
  }

  private static MethodHandle link(
      String name, FunctionDescriptor descriptor, Linker.Option... more) {
    Linker.Option[] options = new Linker.Option[more.length + 1];
    options[0] = Linker.Option.captureCallState("errno");
    System.arraycopy(more, 0, options, 1, more.length);
    return LINKER.downcallHandle(
        LINKER.defaultLookup().find(name).orElseThrow(), descriptor, options);
  }
}
