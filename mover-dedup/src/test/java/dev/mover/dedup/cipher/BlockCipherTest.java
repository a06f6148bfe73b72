package dev.mover.dedup.cipher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.Codec;
import dev.mover.api.block.Envelope;
import dev.mover.api.error.DataException;
import dev.mover.testkit.DiskImages;
import dev.mover.testkit.Seeds;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class BlockCipherTest {
  private static final byte[] SECRET =
      "a secret of thirty-two bytes, yes".substring(0, 32).getBytes(StandardCharsets.US_ASCII);
  private static final DataKey KEY = new DataKey(new UUID(1, 2), SECRET);
  private static final BlockId ID = new BlockId(3, 4, 5, 6);

  private final BlockCipher cipher = new BlockCipher();

  @Test
  void givesBackWhatItEncryptedWhateverItsLength() {
    Seeds.check(
        60,
        random -> {
          byte[] plain = DiskImages.bytes(1 + random.nextInt(70_000), random.nextLong());
          int before = random.nextInt(3);
          ByteBuffer payload = direct(before, plain);
          Envelope envelope = cipher.encrypt(KEY, Codec.ZSTD, 0x0102, ID, 100_000, payload);
          assertThat(payload.position()).isEqualTo(before);
          assertThat(payload.remaining()).isEqualTo(plain.length);
          assertThat(bytes(payload)).isNotEqualTo(plain);
          cipher.decrypt(KEY, envelope, Codec.ZSTD, ID, 100_000, payload);
          assertThat(payload.position()).isEqualTo(before);
          assertThat(bytes(payload)).isEqualTo(plain);
        });
  }

  /** As the documentation says, with other code: HKDF by HMAC, and AES-GCM in one call. */
  @Test
  void isTheDocumentedConstruction() throws Exception {
    byte[] plain = DiskImages.bytes(20_000, 1);
    ByteBuffer payload = direct(0, plain);
    Envelope e = cipher.encrypt(KEY, Codec.ZSTD, 0x0102, ID, 30_000, payload);

    byte[] prk = hmac(new byte[32], SECRET);
    ByteBuffer info = ByteBuffer.allocate(12 + 32 + 1 + 2 + 16 + 1);
    info.put("mover slot 1".getBytes(StandardCharsets.US_ASCII)).put(ID.bytes());
    info.put((byte) 1).putShort((short) 0x0102).putLong(e.saltHigh()).putLong(e.saltLow());
    info.put((byte) 1);
    ByteBuffer aad = ByteBuffer.allocate(16 + 16 + 32 + 1 + 2 + 4);
    aad.putLong(1).putLong(2).putLong(e.saltHigh()).putLong(e.saltLow()).put(ID.bytes());
    aad.put((byte) 1).putShort((short) 0x0102).putInt(30_000);
    Cipher gcm = Cipher.getInstance("AES/GCM/NoPadding");
    gcm.init(
        Cipher.ENCRYPT_MODE,
        new SecretKeySpec(hmac(prk, info.array()), "AES"),
        new GCMParameterSpec(128, new byte[12]));
    gcm.updateAAD(aad.array());
    byte[] expected = gcm.doFinal(plain);

    assertThat(bytes(payload)).isEqualTo(Arrays.copyOf(expected, plain.length));
    ByteBuffer tag = ByteBuffer.wrap(expected, plain.length, 16);
    assertThat(e.tagHigh()).isEqualTo(tag.getLong());
    assertThat(e.tagLow()).isEqualTo(tag.getLong());
  }

  @Test
  void refusesWhateverWasChanged() {
    byte[] plain = DiskImages.bytes(10_000, 2);
    ByteBuffer payload = direct(0, plain);
    Envelope good = cipher.encrypt(KEY, Codec.ZSTD, 5, ID, 20_000, payload);
    byte[] sealed = bytes(payload);

    byte[] touched = sealed.clone();
    touched[9_999] ^= 1;
    assertRefused(good, Codec.ZSTD, ID, 20_000, direct(0, touched));
    assertRefused(good, Codec.RAW, ID, 20_000, payload);
    assertRefused(good, Codec.ZSTD, new BlockId(3, 4, 5, 7), 20_000, payload);
    assertRefused(good, Codec.ZSTD, ID, 20_001, payload);
    List<Envelope> changed = new ArrayList<>();
    changed.add(with(good, 1, 0, 0, 0, 0));
    changed.add(with(good, 0, 1, 0, 0, 0));
    changed.add(with(good, 0, 0, 1, 0, 0));
    changed.add(with(good, 0, 0, 0, 1, 0));
    changed.add(with(good, 0, 0, 0, 0, 1));
    changed.forEach(e -> assertRefused(e, Codec.ZSTD, ID, 20_000, payload));
    assertThatThrownBy(
            () ->
                cipher.decrypt(
                    new DataKey(new UUID(1, 2), new byte[32]),
                    good,
                    Codec.ZSTD,
                    ID,
                    20_000,
                    direct(0, sealed)))
        .isInstanceOf(DataException.class);

    payload.put(0, sealed);
    cipher.decrypt(KEY, good, Codec.ZSTD, ID, 20_000, payload);
    assertThat(bytes(payload)).isEqualTo(plain);
  }

  /**
   * A machine that is rolled back draws the same salt again. Unless all that decides the packed
   * bytes is the same too, the key is another: equal key streams would show in equal ciphertexts.
   */
  @Test
  void neverUsesOneKeyForTwoPlaintextsEvenWhenRandomnessRepeats() throws Exception {
    byte[] zeros = new byte[64];
    List<String> streams = new ArrayList<>();
    for (Codec codec : Codec.values()) {
      for (int encoder : new int[] {0, 1, 2, 0x0101, 0x0201}) {
        for (BlockId id : List.of(ID, new BlockId(3, 4, 5, 7))) {
          for (DataKey key : List.of(KEY, new DataKey(new UUID(1, 2), new byte[32]))) {
            BlockCipher rolledBack = new BlockCipher(new SameAgain());
            ByteBuffer payload = direct(0, zeros);
            Envelope envelope = rolledBack.encrypt(key, codec, encoder, id, 64, payload);
            assertThat(envelope.saltHigh()).isEqualTo(0x0707070707070707L);
            streams.add(HexFormat.of().formatHex(bytes(payload)));
          }
        }
      }
    }
    assertThat(streams).doesNotHaveDuplicates();
  }

  private static final class SameAgain extends java.security.SecureRandom {
    private static final long serialVersionUID = 1L;

    @Override
    public void nextBytes(byte[] bytes) {
      Arrays.fill(bytes, (byte) 7);
    }
  }

  private void assertRefused(
      Envelope envelope, Codec codec, BlockId id, int plainLength, ByteBuffer payload) {
    assertThatThrownBy(
            () -> cipher.decrypt(KEY, envelope, codec, id, plainLength, direct(0, bytes(payload))))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("tag is wrong");
  }

  private static Envelope with(Envelope e, int encoder, long key, long salt, long high, long low) {
    return new Envelope(
        e.encoder() ^ encoder,
        new UUID(e.key().getMostSignificantBits() ^ key, e.key().getLeastSignificantBits()),
        e.saltHigh(),
        e.saltLow() ^ salt,
        e.tagHigh() ^ high,
        e.tagLow() ^ low);
  }

  private static byte[] hmac(byte[] key, byte[] message) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    return mac.doFinal(message);
  }

  private static ByteBuffer direct(int before, byte[] content) {
    return ByteBuffer.allocateDirect(before + content.length)
        .position(before)
        .put(content)
        .position(before);
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }
}
