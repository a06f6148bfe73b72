package dev.mover.dedup.domain;

import dev.mover.api.block.SessionKey;
import dev.mover.api.block.WrappedKey;
import dev.mover.dedup.cipher.DataKey;
import dev.mover.dedup.cipher.bc.KeyBox;
import dev.mover.dedup.digest.IdKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.UUID;

/**
 * What a proxy needs to encrypt, and nothing to decrypt: the domain's newest public key, its id key
 * and its seal key. Any thread.
 *
 * <p>A wrapped key, {@value #WRAPPED_BYTES} bytes:
 *
 * <pre>
 * 0   u8  1
 * 1   16B beginning of SHA-256 of the public key
 * 17  80B box of the data key ({@link KeyBox}); context: "mover data key 1" ‖ domain ‖ key id
 * </pre>
 */
public final class WriterKeys {
  static final int BOX_AT = 17;
  static final int WRAPPED_BYTES = BOX_AT + DataKey.BYTES + KeyBox.OVERHEAD_BYTES;
  static final byte VERSION = 1;

  private static final byte[] LABEL = "mover data key 1".getBytes(StandardCharsets.US_ASCII);

  private final SecureRandom random = new SecureRandom();
  private final UUID domain;
  private final IdKey idKey;
  private final Seals seals;
  private final byte[] publicKey;

  WriterKeys(DomainFile file) {
    this.domain = file.id();
    this.idKey = IdKey.of(file.idKey());
    this.seals = new Seals(file.id(), file.sealKey());
    this.publicKey = file.newest().publicKey();
  }

  /** A session's key, and what may be told of it. */
  public record NewKey(DataKey key, SessionKey told) {}

  public IdKey idKey() {
    return idKey;
  }

  public Seals seals() {
    return seals;
  }

  public UUID domain() {
    return domain;
  }

  /** A data key for one session. */
  public NewKey newKey() {
    byte[] secret = new byte[DataKey.BYTES];
    random.nextBytes(secret);
    byte[] idBytes = new byte[16];
    random.nextBytes(idBytes);
    ByteBuffer drawn = ByteBuffer.wrap(idBytes);
    UUID id = new UUID(drawn.getLong(), drawn.getLong());
    byte[] wrapped =
        ByteBuffer.allocate(WRAPPED_BYTES)
            .put(VERSION)
            .put(fingerprint(publicKey))
            .put(KeyBox.seal(publicKey, context(domain, id), secret))
            .array();
    return new NewKey(new DataKey(id, secret), new SessionKey(domain, new WrappedKey(id, wrapped)));
  }

  static byte[] fingerprint(byte[] publicKey) {
    try {
      return Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(publicKey), 16);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  static byte[] context(UUID domain, UUID key) {
    return ByteBuffer.allocate(LABEL.length + 32)
        .put(LABEL)
        .putLong(domain.getMostSignificantBits())
        .putLong(domain.getLeastSignificantBits())
        .putLong(key.getMostSignificantBits())
        .putLong(key.getLeastSignificantBits())
        .array();
  }
}
