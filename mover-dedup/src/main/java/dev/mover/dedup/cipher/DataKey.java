package dev.mover.dedup.cipher;

import java.security.GeneralSecurityException;
import java.util.UUID;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key of one session, from which every slot's own is derived. Immutable; says nothing of itself
 * but its id.
 */
public final class DataKey {
  public static final int BYTES = 32;

  private final UUID id;
  private final SecretKey extracted;

  /**
   * @param id what the payloads encrypted under it carry
   * @param secret {@link #BYTES} random bytes; the caller's
   */
  public DataKey(UUID id, byte[] secret) {
    if (secret.length != BYTES) {
      throw new IllegalArgumentException("a data key has " + BYTES + " bytes");
    }
    this.id = id;
    try {
      this.extracted =
          KDF.getInstance("HKDF-SHA256")
              .deriveKey(
                  "Generic",
                  HKDFParameterSpec.ofExtract()
                      .addIKM(new SecretKeySpec(secret, "Generic"))
                      .extractOnly());
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every JDK has HKDF-SHA256", e);
    }
  }

  public UUID id() {
    return id;
  }

  SecretKey extracted() {
    return extracted;
  }

  @Override
  public String toString() {
    return "data key " + id;
  }
}
