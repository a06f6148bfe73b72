package dev.mover.repository.file;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.Codec;
import dev.mover.api.block.Envelope;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.Side;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * What stands before a payload in a backup file, big-endian. It holds nothing about where the slot
 * lies or which disk uses it: a slot is cloned from file to file as it is.
 *
 * <pre>
 * 0    u32 magic "MSLT"
 * 4    u8  format 1
 * 5    u8  codec
 * 6    u16 encoder, 0: not encrypted
 * 8    16B file id of the file it was first written to
 * 24   u64 slot number in that file, from 0
 * 32   32B block id
 * 64   16B key id, zeros: not encrypted
 * 80   u32 plain length
 * 84   u32 payload length
 * 88   u32 CRC32C of the payload
 * 92   16B salt              zeros: not encrypted
 * 108  16B AES-GCM tag       zeros: not encrypted
 * 124  u32 CRC32C of bytes 0…123
 * 128  payload, then zeros to the slot alignment
 * </pre>
 */
public record SlotHeader(
    Codec codec,
    UUID originFile,
    long originSlot,
    BlockId id,
    int plainLength,
    int payloadLength,
    int payloadCrc,
    Envelope envelope) {
  public static final int BYTES = 128;

  /** A slot of the largest block: the most a stored length can be. */
  public static final int MAX_STORED = BYTES + BlockSize.MAX_BYTES;

  private static final int MAGIC = 0x4D534C54;
  private static final int FORMAT = 1;
  private static final int CRC_AT = 124;

  /** Header and payload, without padding. */
  public int storedLength() {
    return BYTES + payloadLength;
  }

  /** What a slot of {@code storedLength} takes in a file: rounded up to the slot alignment. */
  public static int occupied(int storedLength, int alignment) {
    return Math.ceilDiv(storedLength, alignment) * alignment;
  }

  /** Writes {@link #BYTES} bytes from offset 0 of {@code out}, whatever its position. */
  public void write(ByteBuffer out) {
    ByteBuffer b = out.slice(0, BYTES);
    b.putInt(MAGIC).put((byte) FORMAT).put((byte) codec.number());
    b.putShort((short) envelope.encoder());
    b.putLong(originFile.getMostSignificantBits()).putLong(originFile.getLeastSignificantBits());
    b.putLong(originSlot);
    id.write(b);
    Footer.putUuid(b, envelope.key());
    b.putInt(plainLength).putInt(payloadLength).putInt(payloadCrc);
    b.putLong(envelope.saltHigh()).putLong(envelope.saltLow());
    b.putLong(envelope.tagHigh()).putLong(envelope.tagLow());
    b.putInt(Page.crc(out.slice(0, CRC_AT)));
  }

  /**
   * Reads the header at offset 0 of {@code in} and checks everything that can be checked without
   * the payload.
   *
   * @throws DataException BLOCK_DAMAGED naming what is wrong; {@code where} is for the message
   */
  public static SlotHeader read(ByteBuffer in, String where) {
    ByteBuffer b = in.slice(0, BYTES);
    if (b.getInt(0) != MAGIC) {
      throw damaged(where, "there is no slot");
    }
    if (b.getInt(CRC_AT) != Page.crc(b.slice(0, CRC_AT))) {
      throw damaged(where, "the slot header's checksum is wrong");
    }
    if (b.get(4) != FORMAT) {
      throw damaged(where, "the slot is of a newer format");
    }
    Codec codec =
        Codec.of(b.get(5)).orElseThrow(() -> damaged(where, "the slot has an unknown codec"));
    SlotHeader header =
        new SlotHeader(
            codec,
            new UUID(b.getLong(8), b.getLong(16)),
            b.getLong(24),
            BlockId.read(b.slice(32, BlockId.BYTES)),
            b.getInt(80),
            b.getInt(84),
            b.getInt(88),
            new Envelope(
                Short.toUnsignedInt(b.getShort(6)),
                new UUID(b.getLong(64), b.getLong(72)),
                b.getLong(92),
                b.getLong(100),
                b.getLong(108),
                b.getLong(116)));
    if (header.plainLength < 1
        || header.plainLength > BlockSize.MAX_BYTES
        || header.payloadLength < 1
        || header.payloadLength > header.plainLength) {
      throw damaged(where, "the slot has impossible lengths");
    }
    if (!header.envelope.isPossible()) {
      throw damaged(where, "the slot is encrypted and has no key");
    }
    return header;
  }

  /**
   * Checks a whole slot: header, id, length and payload checksum. {@code slot} holds {@code
   * storedLength} bytes from offset 0.
   *
   * @throws DataException BLOCK_DAMAGED
   */
  public static SlotHeader check(ByteBuffer slot, BlockId id, int storedLength, String where) {
    SlotHeader header = read(slot, where);
    if (!header.id.equals(id)) {
      throw damaged(where, "the slot holds block " + header.id + ", not " + id);
    }
    if (header.storedLength() != storedLength) {
      throw damaged(where, "the slot's length is not what the map says");
    }
    if (Page.crc(slot.slice(BYTES, header.payloadLength)) != header.payloadCrc) {
      throw damaged(where, "the payload's checksum is wrong");
    }
    return header;
  }

  private static DataException damaged(String where, String what) {
    return new DataException(
        ErrorCode.BLOCK_DAMAGED, Side.REPOSITORY, "%s: %s".formatted(where, what));
  }
}
