package dev.mover.dedup.cipher.bc;

import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

/** Argon2id, version 1.3 (RFC 9106). Takes its memory from the heap while it runs; burns CPU. */
public final class Argon2 {
  private Argon2() {}

  /**
   * Bytes made from a password.
   *
   * @param passes over the memory
   * @param lanes computed one after the other here
   */
  public static byte[] hash(
      byte[] password, byte[] salt, int memoryKiB, int passes, int lanes, int bytes) {
    Argon2BytesGenerator generator = new Argon2BytesGenerator();
    generator.init(
        new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
            .withVersion(Argon2Parameters.ARGON2_VERSION_13)
            .withMemoryAsKB(memoryKiB)
            .withIterations(passes)
            .withParallelism(lanes)
            .withSalt(salt)
            .build());
    byte[] out = new byte[bytes];
    generator.generateBytes(password, out);
    return out;
  }
}
