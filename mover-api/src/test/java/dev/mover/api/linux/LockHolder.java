package dev.mover.api.linux;

import java.io.IOException;
import java.nio.file.Path;

/** A process that takes a lock, says so, and holds it until its input ends or it is killed. */
final class LockHolder {
  private LockHolder() {}

  public static void main(String[] args) throws IOException {
    try (LinuxFile file = LinuxFile.open(Path.of(args[0]), LinuxFile.Flag.WRITE)) {
      System.out.println(file.tryLock(true) ? "locked" : "refused");
      int end = System.in.read();
      System.out.println("ended with " + end);
    }
  }
}
