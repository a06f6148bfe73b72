package dev.mover.api.block;

import java.util.Arrays;
import java.util.Optional;

/** How a block's payload is packed. The number is what stands on the wire and in a slot header. */
public enum Codec {
  /** The plain bytes as they are; also chosen when zstd would not make them smaller. */
  RAW(0),
  ZSTD(1);

  private final int number;

  Codec(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }

  public static Optional<Codec> of(int number) {
    return Arrays.stream(values()).filter(c -> c.number == number).findFirst();
  }
}
