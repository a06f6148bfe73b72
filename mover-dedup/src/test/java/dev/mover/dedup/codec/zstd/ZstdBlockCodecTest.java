package dev.mover.dedup.codec.zstd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.util.ZstdVersion;
import dev.mover.api.block.Codec;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.dedup.codec.Compression;
import dev.mover.testkit.DiskImages;
import dev.mover.testkit.Seeds;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class ZstdBlockCodecTest {
  private static final int MAX = 512 << 10;

  @AutoClose private final ZstdBlockCodec codec = new ZstdBlockCodec();
  private final ByteBuffer packed = ByteBuffer.allocateDirect(MAX + 100);
  private final ByteBuffer unpacked = ByteBuffer.allocateDirect(MAX + 100);

  @Test
  void givesBackWhatItPackedAtEveryLevel() {
    Seeds.check(
        60,
        random -> {
          byte[] content = anyContent(random);
          Compression[] all = Compression.values();
          Compression compression = all[random.nextInt(all.length)];
          ByteBuffer plain = direct(content);
          packed.clear().position(random.nextInt(100));
          int from = packed.position();
          Codec how = codec.pack(plain, packed, compression);
          assertThat(plain.remaining()).isEqualTo(content.length);
          assertThat(packed.position() - from)
              .isBetween(1, how == Codec.RAW ? content.length : content.length - 1);

          unpacked.clear().position(random.nextInt(100));
          int start = unpacked.position();
          codec.unpack(how, packed.flip().position(from), unpacked, content.length);
          assertThat(unpacked.position()).isEqualTo(start + content.length);
          assertThat(bytes(unpacked.flip().position(start))).isEqualTo(content);
        });
  }

  @Test
  void writesFramesThatAnyZstdReads() {
    byte[] content = DiskImages.bytes(MAX, 11);
    for (Compression compression : Compression.values()) {
      packed.clear();
      if (codec.pack(direct(content), packed, compression) == Codec.ZSTD) {
        assertThat(Zstd.decompress(bytes(packed.flip()), MAX)).isEqualTo(content);
        assertThat(Zstd.getFrameContentSize(bytes(packed.rewind()))).isEqualTo(MAX);
      } else {
        assertThat(compression).isEqualTo(Compression.NONE);
      }
    }
  }

  @Test
  void readsAFrameWrittenLongAgo() {
    // `printf 'mover mover mover mover mover mover' | zstd -1 --no-check`
    byte[] frame = HexFormat.of().parseHex("28b52ffd0048650000306d6f766572200100b94b11");
    codec.unpack(Codec.ZSTD, direct(frame), unpacked.clear(), 35);
    assertThat(bytes(unpacked.flip())).asString().isEqualTo("mover mover mover mover mover mover");
  }

  @Test
  void keepsPlainWhatDoesNotGetSmaller() {
    Seeds.check(
        20,
        random -> {
          byte[] noise = new byte[1 + random.nextInt(MAX)];
          random.nextBytes(noise);
          packed.clear();
          assertThat(codec.pack(direct(noise), packed, Compression.OPTIMAL)).isEqualTo(Codec.RAW);
          assertThat(bytes(packed.flip())).isEqualTo(noise);
        });
  }

  @Test
  void needsNoMoreRoomThanThePlainBlock() {
    byte[] noise = new byte[1000];
    RandomGenerator.getDefault().nextBytes(noise);
    packed.clear().limit(1000);
    assertThat(codec.pack(direct(noise), packed, Compression.HIGH)).isEqualTo(Codec.RAW);
    packed.clear().limit(999);
    assertThatThrownBy(() -> codec.pack(direct(noise), packed, Compression.HIGH))
        .isInstanceOf(BufferOverflowException.class);
    unpacked.clear().limit(999);
    assertThatThrownBy(() -> codec.unpack(Codec.RAW, direct(noise), unpacked, 1000))
        .isInstanceOf(BufferOverflowException.class);
  }

  @Test
  void callsADamagedPayloadDamagedAndStaysUsable() {
    Seeds.check(
        300,
        random -> {
          byte[] content = DiskImages.bytes(1 + random.nextInt(20_000), random.nextLong());
          packed.clear();
          Codec how = codec.pack(direct(content), packed, Compression.OPTIMAL);
          byte[] payload = damage(bytes(packed.flip()), random);
          unpacked.clear();
          try {
            codec.unpack(how, direct(payload), unpacked, content.length);
            // zstd carries no checksum: the block id is what finds this one.
            assertThat(unpacked.position()).isEqualTo(content.length);
          } catch (DataException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.BLOCK_DAMAGED);
            assertThat(unpacked.position()).isZero();
          }
          packed.clear();
          how = codec.pack(direct(content), packed, Compression.OPTIMAL);
          codec.unpack(how, packed.flip(), unpacked.clear(), content.length);
          assertThat(bytes(unpacked.flip())).isEqualTo(content);
        });
  }

  @Test
  void refusesAPayloadOfAnotherLength() {
    byte[] content = new byte[5000];
    assertThat(codec.pack(direct(content), packed.clear(), Compression.OPTIMAL))
        .isEqualTo(Codec.ZSTD);
    ByteBuffer payload = packed.flip();
    for (int wrong : new int[] {0, 1, 4999, 5001}) {
      assertDamaged(Codec.ZSTD, payload, wrong);
      assertDamaged(Codec.RAW, direct(content), wrong);
    }
    assertDamaged(Codec.ZSTD, direct(new byte[0]), 1);
    assertDamaged(Codec.ZSTD, payload.limit(payload.limit() - 1), 5000);
  }

  @Test
  void failsWhenClosedInsteadOfTouchingFreedMemory() {
    codec.close();
    codec.close();
    assertThatThrownBy(() -> codec.pack(direct(new byte[100]), packed.clear(), Compression.OPTIMAL))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> codec.unpack(Codec.ZSTD, direct(new byte[100]), unpacked.clear(), 100))
        .isInstanceOf(IllegalStateException.class);
  }

  private void assertDamaged(Codec how, ByteBuffer payload, int plainLength) {
    unpacked.clear();
    assertThatThrownBy(() -> codec.unpack(how, payload, unpacked, plainLength))
        .isInstanceOfSatisfying(
            DataException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BLOCK_DAMAGED));
    assertThat(unpacked.position()).isZero();
  }

  private static byte[] anyContent(RandomGenerator random) {
    int length = 1 + random.nextInt(1 << random.nextInt(1, 20));
    return switch (random.nextInt(3)) {
      case 0 -> new byte[length];
      case 1 -> {
        byte[] noise = new byte[length];
        random.nextBytes(noise);
        yield noise;
      }
      default -> DiskImages.bytes(length, random.nextLong());
    };
  }

  private static byte[] damage(byte[] payload, RandomGenerator random) {
    byte[] damaged = payload.clone();
    for (int i = random.nextInt(1, 5); i > 0; i--) {
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return damaged;
  }

  private static ByteBuffer direct(byte[] content) {
    return ByteBuffer.allocateDirect(content.length).put(content).flip();
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] out = new byte[buffer.remaining()];
    buffer.duplicate().get(out);
    return out;
  }

  /** Another zstd may pack equal blocks into other bytes: then the encoder's generation rises. */
  @Test
  void namesItsEncoderAfterTheLibraryAndTheLevel() {
    assertThat(ZstdVersion.VERSION).startsWith("1.5.7");
    assertThat(codec.encoder(Compression.NONE)).isEqualTo(0x0100);
    assertThat(codec.encoder(Compression.OPTIMAL)).isEqualTo(0x0102);
  }
}
