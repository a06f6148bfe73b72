package dev.mover.dedup.domain;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * Says of a disk that it is what a writer of this domain backed up: HMAC-SHA-256 under the seal key
 * of "mover seal 1" ‖ domain ‖ session ‖ u64 sequence ‖ u32 block size ‖ u64 size ‖ u32 sector size
 * ‖ digest ‖ machine ‖ disk, the names as u16 length and UTF-8. A repository that puts a point
 * together out of genuine blocks, disks or maps can't make one. Any thread.
 */
public final class Seals {
  public static final int KEY_BYTES = 32;

  private static final byte[] LABEL = "mover seal 1".getBytes(StandardCharsets.US_ASCII);

  private final UUID domain;
  private final SecretKey key;

  Seals(UUID domain, byte[] key) {
    this.domain = domain;
    this.key = new SecretKeySpec(key, "HmacSHA256");
  }

  /** The seal of a disk of the point that a session makes. */
  public BlockId of(
      UUID sessionId,
      Name machine,
      long sequence,
      BlockSize blockSize,
      DiskSpec disk,
      BlockId digest) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      mac.update(LABEL);
      ByteBuffer fixed = ByteBuffer.allocate(2 * 16 + 8 + 4 + 8 + 4 + BlockId.BYTES);
      fixed.putLong(domain.getMostSignificantBits()).putLong(domain.getLeastSignificantBits());
      fixed.putLong(sessionId.getMostSignificantBits());
      fixed.putLong(sessionId.getLeastSignificantBits());
      fixed.putLong(sequence).putInt(blockSize.bytes());
      fixed.putLong(disk.sizeBytes()).putInt(disk.sectorSize());
      digest.write(fixed);
      mac.update(fixed.array());
      update(mac, machine);
      update(mac, disk.name());
      return BlockId.of(mac.doFinal());
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every JDK has HMAC-SHA-256", e);
    }
  }

  private static void update(Mac mac, Name name) {
    byte[] utf8 = name.value().getBytes(StandardCharsets.UTF_8);
    mac.update(ByteBuffer.allocate(2).putShort((short) utf8.length).array());
    mac.update(utf8);
  }
}
