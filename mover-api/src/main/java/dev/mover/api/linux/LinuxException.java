package dev.mover.api.linux;

import java.io.IOException;

/** A system call that failed, with its errno. */
public final class LinuxException extends IOException {
  private static final long serialVersionUID = 1L;

  public static final int EINTR = 4;
  public static final int EIO = 5;
  public static final int ENOENT = 2;
  public static final int EAGAIN = 11;
  public static final int EACCES = 13;
  public static final int EBUSY = 16;
  public static final int EEXIST = 17;
  public static final int EXDEV = 18;
  public static final int EINVAL = 22;
  public static final int ENOTTY = 25;
  public static final int EFBIG = 27;
  public static final int ENOSPC = 28;
  public static final int EROFS = 30;
  public static final int ENXIO = 6;
  public static final int EPERM = 1;
  public static final int EOPNOTSUPP = 95;
  public static final int EDQUOT = 122;

  private final int errno;

  LinuxException(String call, String object, int errno) {
    super(call + " " + object + ": " + text(errno));
    this.errno = errno;
  }

  public int errno() {
    return errno;
  }

  /** No room: file system full, quota or file size limit reached. */
  public boolean isNoSpace() {
    return errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
  }

  private static String text(int errno) {
    String name =
        switch (errno) {
          case EPERM -> "operation not permitted";
          case ENOENT -> "no such file or directory";
          case EINTR -> "interrupted";
          case EIO -> "input/output error";
          case ENXIO -> "no such device or address";
          case EAGAIN -> "resource is held by another process";
          case EACCES -> "permission denied";
          case EBUSY -> "device or resource busy";
          case EEXIST -> "file exists";
          case EXDEV -> "on another file system";
          case EINVAL -> "invalid argument";
          case ENOTTY, EOPNOTSUPP -> "not supported by this file system";
          case EFBIG -> "file too large";
          case ENOSPC -> "no space left on device";
          case EROFS -> "read-only file system";
          case EDQUOT -> "disk quota exceeded";
          default -> "system error";
        };
    return name + " (errno " + errno + ")";
  }
}
