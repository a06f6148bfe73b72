package dev.mover.repository;

import java.util.SplittableRandom;

/** Disk contents for tests: every third KiB random, the rest compressible, the same for a seed. */
final class Content {
  private Content() {}

  static byte[] disk(int length, long seed) {
    byte[] bytes = new byte[length];
    SplittableRandom random = new SplittableRandom(seed);
    for (int at = 0; at < length; at += 1024) {
      int piece = Math.min(1024, length - at);
      byte[] random1k = new byte[piece];
      if (at / 1024 % 3 == 0) {
        random.nextBytes(random1k);
      } else {
        java.util.Arrays.fill(random1k, (byte) (seed + at / 7));
      }
      System.arraycopy(random1k, 0, bytes, at, piece);
    }
    return bytes;
  }
}
