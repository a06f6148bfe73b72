package dev.mover.repository.extent;

import dev.mover.api.point.Name;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/**
 * The folder name of a machine: bytes of its UTF-8 name outside {@code A-Z a-z 0-9 . _ -} and a
 * leading dot as {@code %XX}. Longer than 180 characters: the first 100, {@code ~}, and 32 hex
 * digits of the name's SHA-256. The true name stands in every file.
 */
final class MachineFolder {
  private static final int MAX_CHARS = 180;
  private static final int KEPT_CHARS = 100;
  private static final int HASH_CHARS = 32;

  private MachineFolder() {}

  static String of(Name machine) {
    byte[] utf8 = machine.value().getBytes(StandardCharsets.UTF_8);
    StringBuilder out = new StringBuilder(utf8.length);
    for (byte b : utf8) {
      char c = (char) (b & 0xff);
      if (isPlain(c) && !(c == '.' && out.isEmpty())) {
        out.append(c);
      } else {
        out.append('%').append(String.format(Locale.ROOT, "%02X", (int) c));
      }
    }
    return out.length() <= MAX_CHARS
        ? out.toString()
        : out.substring(0, KEPT_CHARS) + "~" + hash(utf8).substring(0, HASH_CHARS);
  }

  /** The name a folder was made for, or the folder's own when that was cut or it is not ours. */
  static Name nameOf(String folder) {
    try {
      return new Name(folder.indexOf('~') >= 0 ? folder : decoded(folder));
    } catch (RuntimeException e) {
      return new Name(folder.replaceAll("\\p{Cntrl}", "?"));
    }
  }

  private static String decoded(String folder) {
    byte[] utf8 = new byte[folder.length()];
    int length = 0;
    for (int at = 0; at < folder.length(); at++) {
      if (folder.charAt(at) == '%') {
        utf8[length++] = (byte) HexFormat.fromHexDigits(folder, at + 1, at + 3);
        at += 2;
      } else {
        utf8[length++] = (byte) folder.charAt(at);
      }
    }
    return new String(utf8, 0, length, StandardCharsets.UTF_8);
  }

  private static boolean isPlain(char c) {
    return (c >= 'A' && c <= 'Z')
        || (c >= 'a' && c <= 'z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '_'
        || c == '-';
  }

  private static String hash(byte[] utf8) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(utf8));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
