package dev.mover.dedup.domain;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.Normalizer;

/** A password, in Unicode NFC; 1 to {@link #MAX_CHARS} characters. Never part of a message. */
public final class Password implements Unlocking {
  public static final int MAX_CHARS = 1024;

  private final String text;

  /**
   * A password as it was given.
   *
   * @throws InputException BAD_USAGE when it is empty or too long
   */
  public Password(String text) {
    this.text = Normalizer.normalize(text, Normalizer.Form.NFC);
    if (this.text.isEmpty() || this.text.length() > MAX_CHARS) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "a password has 1 to " + MAX_CHARS + " characters");
    }
  }

  /**
   * The first line of a file.
   *
   * @throws InputException BAD_USAGE when it can't be read
   */
  public static Password fromFile(Path file) {
    try {
      if (Files.size(file) > 4 * MAX_CHARS) {
        throw new InputException(
            ErrorCode.BAD_USAGE, file + ": is too long to hold one password on its first line");
      }
      return new Password(Files.readString(file).lines().findFirst().orElse(""));
    } catch (IOException e) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "%s: the password can't be read from it".formatted(file));
    }
  }

  /** Whether both unlock the same. */
  public boolean isSameAs(Password other) {
    return text.equals(other.text);
  }

  byte[] utf8() {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  char[] chars() {
    return text.toCharArray();
  }

  @Override
  public String toString() {
    return "a password";
  }
}
