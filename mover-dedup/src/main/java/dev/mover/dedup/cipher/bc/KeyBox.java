package dev.mover.dedup.cipher.bc;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.bouncycastle.crypto.AsymmetricCipherKeyPair;
import org.bouncycastle.crypto.InvalidCipherTextException;
import org.bouncycastle.crypto.hpke.HPKE;
import org.bouncycastle.crypto.params.X25519PrivateKeyParameters;

/**
 * Seals small secrets to a public key: HPKE (RFC 9180), base mode, DHKEM(X25519, HKDF-SHA256),
 * HKDF-SHA256, AES-256-GCM. A box is the encapsulated key, 32 bytes, and the ciphertext, 16 bytes
 * longer than the secret. Stateless; any thread; burns CPU (about 0.2 ms a call).
 */
public final class KeyBox {
  /** Of a public and of a private key. */
  public static final int KEY_BYTES = 32;

  /** What a box is longer than its content. */
  public static final int OVERHEAD_BYTES = KEY_BYTES + 16;

  private static final byte[] NOTHING = new byte[0];

  private KeyBox() {}

  /** A key pair; the private half is the caller's to keep. */
  public record KeyPair(byte[] publicKey, byte[] privateKey) {}

  public static KeyPair newKeyPair() {
    AsymmetricCipherKeyPair pair = hpke().generatePrivateKey();
    return new KeyPair(
        hpke().serializePublicKey(pair.getPublic()), hpke().serializePrivateKey(pair.getPrivate()));
  }

  /** The public half that belongs to a private key, which may be any 32 bytes. */
  public static byte[] publicKey(byte[] privateKey) {
    return new X25519PrivateKeyParameters(privateKey).generatePublicKey().getEncoded();
  }

  /**
   * Seals {@code secret} for the owner of the private key.
   *
   * @param context what it is for; the same is needed to open it
   */
  public static byte[] seal(byte[] publicKey, byte[] context, byte[] secret) {
    try {
      HPKE hpke = hpke();
      byte[][] sealed =
          hpke.seal(
              hpke.deserializePublicKey(publicKey), context, NOTHING, secret, null, null, null);
      return ByteBuffer.allocate(sealed[1].length + sealed[0].length)
          .put(sealed[1])
          .put(sealed[0])
          .array();
    } catch (InvalidCipherTextException e) {
      throw new AssertionError("a box can always be sealed", e);
    }
  }

  /** The secret in the box; nothing when it is not for this key and context, or was changed. */
  public static Optional<byte[]> open(byte[] privateKey, byte[] context, byte[] box) {
    if (box.length < OVERHEAD_BYTES) {
      return Optional.empty();
    }
    byte[] encapsulated = new byte[KEY_BYTES];
    byte[] ciphertext = new byte[box.length - KEY_BYTES];
    ByteBuffer.wrap(box).get(encapsulated).get(ciphertext);
    try {
      HPKE hpke = hpke();
      AsymmetricCipherKeyPair pair = hpke.deserializePrivateKey(privateKey, publicKey(privateKey));
      return Optional.of(
          hpke.open(encapsulated, pair, context, NOTHING, ciphertext, null, null, null));
    } catch (InvalidCipherTextException | RuntimeException e) {
      return Optional.empty(); // a point of low order is refused with an unchecked exception
    }
  }

  private static HPKE hpke() {
    return new HPKE(
        HPKE.mode_base, HPKE.kem_X25519_SHA256, HPKE.kdf_HKDF_SHA256, HPKE.aead_AES_GCM256);
  }
}
