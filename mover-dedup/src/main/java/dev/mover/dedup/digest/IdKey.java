package dev.mover.dedup.digest;

import java.util.Optional;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * What block ids are made with: nothing but the content, or a key domain's id key. Who lacks the
 * key can't tell from an id what a block holds.
 */
public final class IdKey {
  public static final int BYTES = 32;

  /** Ids are SHA-256 of the content. */
  public static final IdKey NONE = new IdKey(Optional.empty());

  private final Optional<SecretKey> key;

  private IdKey(Optional<SecretKey> key) {
    this.key = key;
  }

  /** Ids are HMAC-SHA-256 of the content. */
  public static IdKey of(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException("an id key has " + BYTES + " bytes");
    }
    return new IdKey(Optional.of(new SecretKeySpec(bytes, "HmacSHA256")));
  }

  Optional<SecretKey> key() {
    return key;
  }
}
