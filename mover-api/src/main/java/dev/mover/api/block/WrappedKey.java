package dev.mover.api.block;

import java.util.Arrays;
import java.util.UUID;

/**
 * A data key as everybody may see it: encrypted to the public key of its key domain. Immutable.
 *
 * @param id what the payloads encrypted under it carry
 * @param bytes 1 to {@link #MAX_BYTES}; only the domain's private key makes a key of them
 */
public record WrappedKey(UUID id, byte[] bytes) {
  /** What a key table's record has room for. */
  public static final int MAX_BYTES = 110;

  public WrappedKey {
    if (id.equals(Envelope.NO_KEY) || bytes.length < 1 || bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException("no wrapped key has " + bytes.length + " bytes");
    }
    bytes = bytes.clone();
  }

  @Override
  public byte[] bytes() {
    return bytes.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof WrappedKey key && id.equals(key.id) && Arrays.equals(bytes, key.bytes);
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }

  @Override
  public String toString() {
    return "wrapped key " + id;
  }
}
