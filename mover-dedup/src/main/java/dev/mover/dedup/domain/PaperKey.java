package dev.mover.dedup.domain;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.error.KeyException;
import dev.mover.dedup.cipher.bc.KeyBox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Locale;
import java.util.UUID;

/**
 * A private key that unlocks a domain, in a form that can be printed, typed and kept in a file:
 * {@value #GROUPS} groups of four characters out of 32 (digits and capitals without I, L, O and U;
 * read as I and L like 1, O like 0). A recovery key is one, a key file holds one.
 *
 * <pre>
 * 0   u8  1
 * 1   4B  beginning of the domain's id
 * 5   32B private key
 * 37  3B  beginning of SHA-256 of bytes 0…36
 * </pre>
 */
public final class PaperKey implements Unlocking {
  private static final int GROUPS = 16;
  private static final int GROUP_CHARS = 4;
  private static final int BITS = 5;
  private static final int BYTES = GROUPS * GROUP_CHARS * BITS / Byte.SIZE;
  private static final int KEY_AT = 5;
  private static final int CHECK_AT = KEY_AT + KeyBox.KEY_BYTES;
  private static final byte VERSION = 1;
  private static final int MAX_FILE_BYTES = 4096;
  private static final String ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

  private final int domainTag;
  private final byte[] privateKey;

  PaperKey(UUID domain, byte[] privateKey) {
    this.domainTag = tag(domain);
    this.privateKey = privateKey.clone();
  }

  private PaperKey(int domainTag, byte[] privateKey) {
    this.domainTag = domainTag;
    this.privateKey = privateKey;
  }

  /**
   * Reads one as a person typed it: spaces, dashes and lines don't matter.
   *
   * @throws KeyException KEY_DAMAGED
   */
  public static PaperKey parse(String text) {
    byte[] bytes = decode(text);
    if (bytes[0] != VERSION || !Arrays.equals(check(bytes), 0, 3, bytes, CHECK_AT, BYTES)) {
      throw damaged("it was mistyped or damaged: its check characters don't fit");
    }
    return new PaperKey(
        ByteBuffer.wrap(bytes).getInt(1), Arrays.copyOfRange(bytes, KEY_AT, CHECK_AT));
  }

  /**
   * Reads a key file.
   *
   * @throws KeyException KEY_DAMAGED, or BAD_USAGE when it can't be read
   */
  public static PaperKey fromFile(Path file) {
    try {
      if (Files.size(file) > MAX_FILE_BYTES) {
        throw damaged(file + " is too long to be a key file");
      }
      return parse(Files.readString(file));
    } catch (IOException | UncheckedIOException e) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "%s: the key can't be read from it".formatted(file));
    }
  }

  /** Its text: {@value #GROUPS} groups with spaces between them, in lines of four. */
  public String text() {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    bytes.put(VERSION).putInt(domainTag).put(privateKey);
    bytes.put(check(bytes.array()), 0, 3);
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < GROUPS * GROUP_CHARS; i++) {
      int value = 0;
      for (int bit = i * BITS; bit < (i + 1) * BITS; bit++) {
        value = value << 1 | ((bytes.get(bit / 8) >> (7 - bit % 8)) & 1);
      }
      out.append(ALPHABET.charAt(value));
      if ((i + 1) % 16 == 0) {
        out.append('\n');
      } else if ((i + 1) % GROUP_CHARS == 0) {
        out.append(' ');
      }
    }
    return out.toString();
  }

  boolean isOf(UUID domain) {
    return domainTag == tag(domain);
  }

  byte[] privateKey() {
    return privateKey.clone();
  }

  private static int tag(UUID domain) {
    return (int) (domain.getMostSignificantBits() >>> 32);
  }

  private static byte[] decode(String text) {
    byte[] bytes = new byte[BYTES];
    int at = 0;
    for (char given : text.toUpperCase(Locale.ROOT).toCharArray()) {
      if (Character.isWhitespace(given) || given == '-') {
        continue;
      }
      char c = given == 'O' ? '0' : given == 'I' || given == 'L' ? '1' : given;
      int value = ALPHABET.indexOf(c);
      if (value < 0 || at == BYTES * 8) {
        throw damaged(
            value < 0 ? "it has a character that no key has" : "it has too many characters");
      }
      for (int bit = BITS - 1; bit >= 0; bit--) {
        bytes[at / 8] |= (byte) ((value >> bit & 1) << (7 - at % 8));
        at++;
      }
    }
    if (at < BYTES * 8) {
      throw damaged("it has %d characters, not %d".formatted(at / BITS, GROUPS * GROUP_CHARS));
    }
    return bytes;
  }

  private static byte[] check(byte[] bytes) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      sha.update(bytes, 0, CHECK_AT);
      return sha.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  private static KeyException damaged(String what) {
    return new KeyException(
        ErrorCode.KEY_DAMAGED, "that is no key of the mover: " + what + "; look at it again");
  }

  @Override
  public String toString() {
    return "a key";
  }
}
