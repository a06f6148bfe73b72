package dev.mover.api.point;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;

/**
 * A name a person gave to a machine or disk: 1 to 255 bytes of UTF-8 with no control character.
 * Slashes, dots, spaces and emoji are welcome; how a name becomes a file name is the repository's
 * business. Kept in Unicode NFC, so that two ways of typing é name one machine.
 */
public record Name(String value) {
  public static final int MAX_BYTES = 255;

  public Name {
    value = Normalizer.normalize(value, Normalizer.Form.NFC);
    int length = value.getBytes(StandardCharsets.UTF_8).length;
    if (length == 0 || length > MAX_BYTES) {
      throw new InputException(
          ErrorCode.BAD_NAME,
          "a name takes 1 to " + MAX_BYTES + " bytes of UTF-8, this one has " + length);
    }
    value
        .codePoints()
        .filter(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029)
        .findFirst()
        .ifPresent(
            c -> {
              throw new InputException(
                  ErrorCode.BAD_NAME,
                  "a name may not hold control characters or line breaks, this one has U+%04X"
                      .formatted(c));
            });
    if (!new String(value.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).equals(value)) {
      throw new InputException(ErrorCode.BAD_NAME, "a name must be valid Unicode");
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
