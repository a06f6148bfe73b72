package dev.mover.repository.file;

import dev.mover.api.block.BlockSize;
import dev.mover.api.block.SessionKey;
import dev.mover.api.block.WrappedKey;
import dev.mover.api.point.Name;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The first 4 KiB of a backup file, big-endian. The first half is written when the session opens,
 * the copy of the footer at commit.
 *
 * <pre>
 * 0    8B  magic "MVRBACK1"
 * 8    u32 format version 1
 * 12   u32 block size
 * 16   16B file id, never reused
 * 32   16B session id
 * 48   u32 slot alignment
 * 52   u32 0
 * 56   i64 opened, milliseconds since 1970 (UTC)
 * 64   u16 machine name length, 255 B of UTF-8, zeros to 511
 * 512  16B key domain, 128B the session's own key (KeyTable); zeros: not encrypted; zeros to 2043
 * 2044 u32 CRC32C of bytes 0…2043
 * 2048 1K  copy of the footer; zeros until commit
 * 3072 1K  zeros
 * </pre>
 */
public record Superblock(
    Name machine,
    UUID fileId,
    UUID sessionId,
    BlockSize blockSize,
    int slotAlignment,
    Instant openedAt,
    @Nullable SessionKey key) {
  static final int FOOTER_AT = 2048;
  private static final byte[] MAGIC = "MVRBACK1".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 1;
  private static final int KEY_AT = 512;
  private static final int CRC_AT = 2044;

  /** Writes the first half at offset 0 of {@code page}; what lies after it stays. */
  public void write(ByteBuffer page) {
    ByteBuffer b = page.slice(0, FOOTER_AT);
    b.put(new byte[FOOTER_AT]).position(0);
    b.put(MAGIC).putInt(VERSION).putInt(blockSize.bytes());
    Footer.putUuid(b, fileId);
    Footer.putUuid(b, sessionId);
    b.putInt(slotAlignment).putInt(0).putLong(openedAt.toEpochMilli());
    Footer.putName(b, machine);
    SessionKey own = key;
    if (own != null) {
      b.position(KEY_AT);
      Footer.putUuid(b, own.domain());
      KeyTable.write(own.key(), b);
    }
    b.putInt(CRC_AT, Page.crc(b.slice(0, CRC_AT)));
  }

  /** The superblock in {@code page}, or nothing when there is none or it is damaged. */
  static Optional<Superblock> read(ByteBuffer page) {
    ByteBuffer b = page.slice(0, FOOTER_AT);
    byte[] magic = new byte[MAGIC.length];
    b.get(magic);
    if (!Arrays.equals(magic, MAGIC) || b.getInt(CRC_AT) != Page.crc(b.slice(0, CRC_AT))) {
      return Optional.empty();
    }
    int version = b.getInt();
    Optional<BlockSize> blockSize = BlockSize.ofBytes(b.getInt());
    if (version != VERSION || blockSize.isEmpty()) {
      return Optional.empty();
    }
    UUID fileId = Footer.uuid(b);
    UUID sessionId = Footer.uuid(b);
    int alignment = b.getInt();
    b.getInt();
    Instant openedAt = Instant.ofEpochMilli(b.getLong());
    Optional<Name> machine = Footer.name(b);
    b.position(KEY_AT);
    UUID domain = Footer.uuid(b);
    Optional<WrappedKey> key = KeyTable.read(b);
    if (key.isEmpty() != domain.equals(SessionKey.NO_DOMAIN)) {
      return Optional.empty();
    }
    return machine.map(
        name ->
            new Superblock(
                name,
                fileId,
                sessionId,
                blockSize.get(),
                alignment,
                openedAt,
                key.map(wrapped -> new SessionKey(domain, wrapped)).orElse(null)));
  }

  /** The key domain of everything in the file. */
  public UUID domain() {
    SessionKey own = key;
    return own == null ? SessionKey.NO_DOMAIN : own.domain();
  }
}
