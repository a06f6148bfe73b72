package dev.mover.dedup.cipher;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.Codec;
import dev.mover.api.block.Envelope;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.Side;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.HKDFParameterSpec;

/**
 * Encrypts payloads in place, each under a key of its own:
 *
 * <pre>
 * slot key  = HKDF-SHA256(data key, "mover slot 1" ‖ block id ‖ codec u8 ‖ encoder u16 ‖ salt)
 * payload   = AES-256-GCM(slot key, nonce 0, packed block), as long as the packed block
 * tag       = its 16 bytes, in the {@link Envelope}
 * AAD       = key id ‖ salt ‖ block id ‖ codec u8 ‖ encoder u16 ‖ plain length u32
 * </pre>
 *
 * <p>The nonce is fixed because no key meets two plaintexts: block id, codec and encoder say what
 * the packed block is, so even when a rolled back machine repeats data key and salt it repeats the
 * plaintext too. The associated data holds what is cloned with a slot and nothing of where it lies.
 *
 * <p>One thread's. Burns CPU: not for event loops. Memory: a scratch of 8 KiB, and for decryption
 * one more as long as the longest payload so far ({@link BlockSize#MAX_BYTES} at most), not in any
 * pool.
 */
public final class BlockCipher {
  /**
   * Encrypted this much at a time: the JDK's loop is compiled after some thousand calls, so calls
   * of a whole block stay at 70 MB/s for seconds (measured: pieces of 8 KiB reach 2.9 GB/s within
   * 45 MB and 5.9 GB/s later).
   */
  private static final int PIECE_BYTES = 8 << 10;

  private static final byte[] LABEL =
      "mover slot 1".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
  private static final int KEY_BYTES = 32;
  private static final GCMParameterSpec NONCE =
      new GCMParameterSpec(Envelope.TAG_BYTES * 8, new byte[12]);

  private final SecureRandom random;
  private final Cipher gcm;
  private final KDF hkdf;
  private final byte[] piece = new byte[PIECE_BYTES + Envelope.TAG_BYTES];
  private ByteBuffer sealed = ByteBuffer.allocateDirect(0);

  public BlockCipher() {
    this(new SecureRandom());
  }

  /**
   * @param random where salts come from
   */
  BlockCipher(SecureRandom random) {
    this.random = random;
    try {
      gcm = Cipher.getInstance("AES/GCM/NoPadding");
      hkdf = KDF.getInstance("HKDF-SHA256");
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every JDK has AES-GCM and HKDF", e);
    }
  }

  /**
   * Encrypts {@code payload}'s remaining bytes where they are; position and limit stay.
   *
   * @param encoder generation and level of what packed it
   * @return what a reader needs beside the key
   */
  public Envelope encrypt(
      DataKey key, Codec codec, int encoder, BlockId id, int plainLength, ByteBuffer payload) {
    byte[] salt = new byte[16];
    random.nextBytes(salt);
    ByteBuffer drawn = ByteBuffer.wrap(salt);
    Envelope open = new Envelope(encoder, key.id(), drawn.getLong(), drawn.getLong(), 0, 0);
    try {
      begin(Cipher.ENCRYPT_MODE, key, codec, open, id, plainLength);
      ByteBuffer tag = ByteBuffer.wrap(encryptPieces(payload));
      return new Envelope(
          encoder, key.id(), open.saltHigh(), open.saltLow(), tag.getLong(), tag.getLong());
    } catch (GeneralSecurityException e) {
      throw new AssertionError("AES-GCM encrypts whatever it is given", e);
    }
  }

  private byte[] encryptPieces(ByteBuffer payload) throws GeneralSecurityException {
    int at = payload.position();
    int written = at;
    while (at < payload.limit()) {
      int length = Math.min(PIECE_BYTES, payload.limit() - at);
      payload.get(at, piece, 0, length);
      at += length;
      int done = gcm.update(piece, 0, length, piece, 0); // whole AES blocks of it
      payload.put(written, piece, 0, done);
      written += done;
    }
    int last = gcm.doFinal(piece, 0) - Envelope.TAG_BYTES;
    payload.put(written, piece, 0, last);
    byte[] tag = new byte[Envelope.TAG_BYTES];
    System.arraycopy(piece, last, tag, 0, tag.length);
    return tag;
  }

  /**
   * Decrypts {@code payload}'s remaining bytes where they are; position and limit stay.
   *
   * @throws DataException BLOCK_DAMAGED when any bit of it or of what belongs to it was changed;
   *     nothing of the payload is left then
   */
  public void decrypt(
      DataKey key,
      Envelope envelope,
      Codec codec,
      BlockId id,
      int plainLength,
      ByteBuffer payload) {
    int length = payload.remaining();
    if (sealed.capacity() < length + Envelope.TAG_BYTES) {
      sealed = ByteBuffer.allocateDirect(length + Envelope.TAG_BYTES);
    }
    sealed.clear().put(payload.duplicate());
    sealed.putLong(envelope.tagHigh()).putLong(envelope.tagLow()).flip();
    try {
      begin(Cipher.DECRYPT_MODE, key, codec, envelope, id, plainLength);
      gcm.doFinal(sealed, payload.duplicate());
    } catch (AEADBadTagException e) {
      throw new DataException(
          ErrorCode.BLOCK_DAMAGED,
          Side.REPOSITORY,
          "block %s was changed after it was encrypted: its tag is wrong".formatted(id),
          e);
    } catch (GeneralSecurityException e) {
      throw new AssertionError("AES-GCM decrypts whatever it is given", e);
    }
  }

  private void begin(
      int mode, DataKey key, Codec codec, Envelope envelope, BlockId id, int plainLength)
      throws GeneralSecurityException {
    gcm.init(mode, slotKey(key, codec, envelope, id), NONCE);
    ByteBuffer aad = ByteBuffer.allocate(16 + 16 + BlockId.BYTES + 1 + 2 + 4);
    aad.putLong(envelope.key().getMostSignificantBits());
    aad.putLong(envelope.key().getLeastSignificantBits());
    aad.putLong(envelope.saltHigh()).putLong(envelope.saltLow());
    id.write(aad);
    aad.put((byte) codec.number()).putShort((short) envelope.encoder()).putInt(plainLength);
    gcm.updateAAD(aad.array());
  }

  private SecretKey slotKey(DataKey key, Codec codec, Envelope envelope, BlockId id)
      throws GeneralSecurityException {
    ByteBuffer info = ByteBuffer.allocate(LABEL.length + BlockId.BYTES + 1 + 2 + 16);
    info.put(LABEL);
    id.write(info);
    info.put((byte) codec.number()).putShort((short) envelope.encoder());
    info.putLong(envelope.saltHigh()).putLong(envelope.saltLow());
    return hkdf.deriveKey(
        "AES", HKDFParameterSpec.expandOnly(key.extracted(), info.array(), KEY_BYTES));
  }
}
