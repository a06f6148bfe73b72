package dev.mover.dedup.digest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockId;
import dev.mover.testkit.DiskImages;
import dev.mover.testkit.Seeds;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class BlockDigestTest {
  private final BlockDigest digest = new BlockDigest();

  @Test
  void namesABlockByItsSha256() {
    Seeds.check(
        50,
        random -> {
          byte[] content = DiskImages.bytes(random.nextInt(300_000), random.nextLong());
          BlockId expected = BlockId.of(MessageDigest.getInstance("SHA-256").digest(content));
          ByteBuffer block = direct(content);
          assertThat(digest.id(block)).isEqualTo(expected);
          assertThat(block.remaining()).isEqualTo(content.length);
          assertThat(digest.id(ByteBuffer.wrap(content))).isEqualTo(expected);
        });
  }

  @Test
  void namesABlockByItsHmacUnderAnIdKey() {
    Seeds.check(
        50,
        random -> {
          byte[] key = new byte[IdKey.BYTES];
          random.nextBytes(key);
          byte[] content = DiskImages.bytes(random.nextInt(300_000), random.nextLong());
          Mac hmac = Mac.getInstance("HmacSHA256");
          hmac.init(new SecretKeySpec(key, "HmacSHA256"));
          BlockId expected = BlockId.of(hmac.doFinal(content));
          ByteBuffer block = direct(content);
          assertThat(digest.id(block, IdKey.of(key))).isEqualTo(expected);
          assertThat(block.remaining()).isEqualTo(content.length);
          assertThat(digest.id(block, IdKey.NONE)).isEqualTo(digest.id(block));
        });
  }

  @Test
  void checksumsAsEveryCrc32cDoes() {
    // The check value of CRC-32C in the catalogue of parametrised CRC algorithms.
    ByteBuffer bytes = direct("123456789".getBytes(StandardCharsets.US_ASCII));
    assertThat(digest.crc(bytes)).isEqualTo(0xE3069283);
    assertThat(digest.crc(bytes)).isEqualTo(0xE3069283);
  }

  @Test
  void findsTheOneByteThatIsNotZero() {
    Seeds.check(
        200,
        random -> {
          ByteBuffer block = ByteBuffer.allocateDirect(1 + random.nextInt(300_000));
          assertThat(BlockDigest.isZero(block)).isTrue();
          int at = random.nextInt(block.capacity());
          block.put(at, (byte) (1 << random.nextInt(8)));
          assertThat(BlockDigest.isZero(block)).isFalse();
          // Only what remains counts.
          assertThat(BlockDigest.isZero(block.position(at + 1))).isTrue();
          assertThat(BlockDigest.isZero(block.position(0).limit(at))).isTrue();
        });
  }

  private static ByteBuffer direct(byte[] content) {
    return ByteBuffer.allocateDirect(content.length).put(content).flip();
  }
}
