package dev.mover.repository.file;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.error.InputException;
import dev.mover.api.point.Name;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;

/**
 * What a committed backup file is and where its metadata lies: 1 KiB, big-endian, at the start of
 * the file's last 4 KiB and again in the superblock.
 *
 * <pre>
 * 0    8B  magic "MVRFOOT1"
 * 8    u32 format version 1
 * 12   u32 block size
 * 16   16B file id
 * 32   16B session id
 * 48   u64 sequence
 * 56   i64 created, milliseconds since 1970 (UTC)
 * 64   u64 metadata copy 1, offset
 * 72   u64 metadata copy 2, offset
 * 80   u64 metadata bytes, each copy
 * 88   32B SHA-256 of the metadata
 * 120  u32 disks            124 u32 disk table pages
 * 128  u32 files            132 u32 file table pages
 * 136  u64 range pages      144 u64 file bytes, to the end of this footer
 * 152  u64 new bytes        160 u64 linked bytes
 * 168  u32 slot alignment   172 u32 keys
 * 176  u16 machine name length, 255 B of UTF-8, zeros to 1003
 * 1004 16B key domain, zeros: not encrypted
 * 1020 u32 CRC32C of bytes 0…1019
 * </pre>
 */
public record Footer(
    Name machine,
    UUID fileId,
    UUID sessionId,
    long sequence,
    Instant createdAt,
    BlockSize blockSize,
    int slotAlignment,
    long metadata1,
    long metadata2,
    long metadataBytes,
    BlockId metadataSha,
    int disks,
    int diskPages,
    int files,
    int filePages,
    long rangePages,
    long fileBytes,
    long newBytes,
    long linkedBytes,
    int keys,
    UUID domain) {
  public static final int BYTES = 1024;
  static final int VERSION = 1;

  private static final byte[] MAGIC = "MVRFOOT1".getBytes(StandardCharsets.US_ASCII);
  private static final int NAME_AT = 176;
  private static final int CRC_AT = BYTES - 4;
  private static final int DOMAIN_AT = CRC_AT - 16;

  /** Page of the key table's first record, behind the other tables. */
  long firstKeyPage() {
    return diskPages + filePages + rangePages;
  }

  /** Writes {@link #BYTES} bytes at {@code at}. */
  void write(ByteBuffer out, int at) {
    ByteBuffer b = out.slice(at, BYTES);
    b.put(new byte[BYTES]).position(0);
    b.put(MAGIC).putInt(VERSION).putInt(blockSize.bytes());
    putUuid(b, fileId);
    putUuid(b, sessionId);
    b.putLong(sequence).putLong(createdAt.toEpochMilli());
    b.putLong(metadata1).putLong(metadata2).putLong(metadataBytes);
    metadataSha.write(b);
    b.putInt(disks).putInt(diskPages).putInt(files).putInt(filePages);
    b.putLong(rangePages).putLong(fileBytes).putLong(newBytes).putLong(linkedBytes);
    b.putInt(slotAlignment).putInt(keys);
    putName(b, machine);
    b.position(DOMAIN_AT);
    putUuid(b, domain);
    b.putInt(CRC_AT, Page.crc(b.slice(0, CRC_AT)));
  }

  /** The footer at {@code at}, or nothing when there is none or it is damaged. */
  static Optional<Footer> read(ByteBuffer in, int at) {
    ByteBuffer b = in.slice(at, BYTES);
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
    UUID fileId = uuid(b);
    UUID sessionId = uuid(b);
    long sequence = b.getLong();
    Instant createdAt = Instant.ofEpochMilli(b.getLong());
    long metadata1 = b.getLong();
    long metadata2 = b.getLong();
    long metadataBytes = b.getLong();
    BlockId sha = BlockId.read(b);
    int disks = b.getInt();
    int diskPages = b.getInt();
    int files = b.getInt();
    int filePages = b.getInt();
    long rangePages = b.getLong();
    long fileBytes = b.getLong();
    long newBytes = b.getLong();
    long linkedBytes = b.getLong();
    int alignment = b.getInt();
    int keys = b.getInt();
    b.position(NAME_AT);
    Optional<Name> machine = name(b);
    b.position(DOMAIN_AT);
    UUID domain = uuid(b);
    return machine.map(
        name ->
            new Footer(
                name,
                fileId,
                sessionId,
                sequence,
                createdAt,
                blockSize.get(),
                alignment,
                metadata1,
                metadata2,
                metadataBytes,
                sha,
                disks,
                diskPages,
                files,
                filePages,
                rangePages,
                fileBytes,
                newBytes,
                linkedBytes,
                keys,
                domain));
  }

  static void putUuid(ByteBuffer out, UUID id) {
    out.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
  }

  static UUID uuid(ByteBuffer in) {
    return new UUID(in.getLong(), in.getLong());
  }

  /** u16 length and the bytes. */
  static void putName(ByteBuffer out, Name name) {
    byte[] utf8 = name.value().getBytes(StandardCharsets.UTF_8);
    out.putShort((short) utf8.length).put(utf8);
  }

  /** Nothing where no name can be so: a checksum does not say who wrote it. */
  static Optional<Name> name(ByteBuffer in) {
    byte[] utf8 = new byte[Math.min(in.getShort() & 0xFFFF, Name.MAX_BYTES)];
    in.get(utf8);
    try {
      return Optional.of(new Name(new String(utf8, StandardCharsets.UTF_8)));
    } catch (InputException e) {
      return Optional.empty();
    }
  }
}
