package dev.mover.deploy.demo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Whether what came back is what was there; knows nothing of how the mover checks. */
final class Comparison {
  private Comparison() {}

  /** Fails naming the first byte that differs. */
  static void mustEqual(Path source, Path restored) throws IOException {
    long at = Files.mismatch(source, restored);
    if (at >= 0) {
      throw new DemoFailure(restored + " differs from " + source + " from byte " + at + " on");
    }
  }

  static String sha256(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] part = new byte[1 << 20];
      for (int n = in.read(part); n > 0; n = in.read(part)) {
        digest.update(part, 0, n);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
