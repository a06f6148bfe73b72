package dev.mover.deploy.demo;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
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
      throw differs(restored + " differs from " + source + " from byte " + at + " on");
    }
  }

  /** What came back is not what was there. */
  static MoverException differs(String message) {
    return MoverException.of(ErrorCode.DIGEST_MISMATCH, Side.CLI, message);
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
