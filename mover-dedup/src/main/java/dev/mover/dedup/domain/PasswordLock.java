package dev.mover.dedup.domain;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.KeyException;
import dev.mover.dedup.cipher.bc.Argon2;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Locale;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A private key locked with a password: AES-256-GCM under a key made of the password and a salt of
 * this lock alone, nonce 0, with the context and the parameters as associated data.
 *
 * @param function how the key is made of the password
 * @param salt 16 random bytes
 * @param memoryKiB that Argon2id takes; 0 for PBKDF2
 * @param passes over that memory, or iterations of PBKDF2
 * @param lanes of Argon2id; 0 for PBKDF2
 * @param locked ciphertext and tag
 */
public record PasswordLock(
    Function function, byte[] salt, int memoryKiB, int passes, int lanes, byte[] locked) {
  static final int SALT_BYTES = 16;
  private static final int KEY_BYTES = 32;

  /** What a domain file may ask of whoever opens it. */
  private static final int MOST_MEMORY_KIB = 1 << 20;

  private static final int MOST_PASSES = 100;
  private static final int MOST_LANES = 64;
  private static final int MOST_ITERATIONS = 100_000_000;

  /** How a key is made of a password. */
  public enum Function {
    /** RFC 9106's second recommended choice: 64 MiB, 3 passes, 4 lanes. */
    ARGON2ID(64 << 10, 3, 4),
    /** PBKDF2-HMAC-SHA-256, for who may use nothing else (FIPS 140); OWASP's least since 2023. */
    PBKDF2(0, 600_000, 0);

    private final int memoryKiB;
    private final int passes;
    private final int lanes;

    Function(int memoryKiB, int passes, int lanes) {
      this.memoryKiB = memoryKiB;
      this.passes = passes;
      this.lanes = lanes;
    }

    /** The form used in files and on the command line. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Function> named(String name) {
      for (Function function : values()) {
        if (function.label().equals(name)) {
          return Optional.of(function);
        }
      }
      return Optional.empty();
    }
  }

  /** Locks {@code secret}. */
  static PasswordLock lock(
      Function function, byte[] salt, Password password, byte[] context, byte[] secret) {
    PasswordLock open =
        new PasswordLock(
            function, salt, function.memoryKiB, function.passes, function.lanes, new byte[0]);
    try {
      return new PasswordLock(
          function,
          salt,
          open.memoryKiB,
          open.passes,
          open.lanes,
          open.cipher(Cipher.ENCRYPT_MODE, password, context).doFinal(secret));
    } catch (GeneralSecurityException e) {
      throw new AssertionError("AES-GCM encrypts whatever it is given", e);
    }
  }

  /** The secret; nothing when the password is another. */
  Optional<byte[]> open(Password password, byte[] context) {
    try {
      return Optional.of(cipher(Cipher.DECRYPT_MODE, password, context).doFinal(locked));
    } catch (AEADBadTagException e) {
      return Optional.empty();
    } catch (GeneralSecurityException e) {
      throw new KeyException(
          ErrorCode.KEY_DAMAGED, "a password's lock in the domain file is damaged");
    }
  }

  /** Whether the parameters are ones that {@link #open} may be asked to work with. */
  boolean isPossible() {
    return salt.length == SALT_BYTES
        && locked.length > 0
        && locked.length <= 256
        && switch (function) {
          case ARGON2ID ->
              memoryKiB >= 8 * lanes
                  && memoryKiB <= MOST_MEMORY_KIB
                  && passes >= 1
                  && passes <= MOST_PASSES
                  && lanes >= 1
                  && lanes <= MOST_LANES;
          case PBKDF2 -> passes >= function.passes && passes <= MOST_ITERATIONS;
        };
  }

  private Cipher cipher(int mode, Password password, byte[] context)
      throws GeneralSecurityException {
    Cipher gcm = Cipher.getInstance("AES/GCM/NoPadding");
    gcm.init(
        mode, new SecretKeySpec(key(password), "AES"), new GCMParameterSpec(128, new byte[12]));
    gcm.updateAAD(context);
    gcm.updateAAD(
        ByteBuffer.allocate(16)
            .putInt(function == Function.ARGON2ID ? 1 : 2)
            .putInt(memoryKiB)
            .putInt(passes)
            .putInt(lanes)
            .array());
    return gcm;
  }

  private byte[] key(Password password) throws GeneralSecurityException {
    return switch (function) {
      case ARGON2ID -> Argon2.hash(password.utf8(), salt, memoryKiB, passes, lanes, KEY_BYTES);
      case PBKDF2 ->
          SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
              .generateSecret(new PBEKeySpec(password.chars(), salt, passes, KEY_BYTES * Byte.SIZE))
              .getEncoded();
    };
  }
}
