package dev.mover.transport.frame;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.Codec;
import dev.mover.api.block.Envelope;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.memory.BufferPool;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * What precedes the payload of a bulk frame: {@code BLOCK} on its way to a repository, {@code DATA}
 * on its way back. The payload follows at once and never passes through a Flux. With the frame
 * header before it, 120 bytes, big-endian:
 *
 * <pre>
 *  0               2       3       4               8
 *  +---------------+-------+-------+---------------+
 *  | disk          | codec | 0     | plainLength   |
 *  +---------------+-------+-------+---------------+
 *  8 | block                                       |
 *  +-----------------------------------------------+
 * 16 | id, 32 bytes                                |
 *  +-----------------------+-----------------------+
 * 48 | payloadLength         | payloadCrc           | 56
 *  +-----------------------+-----------------------+
 * 56 | envelope, 56 bytes, zeros: not encrypted      | 112
 *  +-----------------------------------------------+
 * </pre>
 *
 * @param kind which of the two
 * @param block index in the disk
 * @param id of the plain content
 * @param plainLength 1 to {@link BlockSize#MAX_BYTES}
 * @param payloadLength 1 to {@code plainLength}: what does not shrink travels {@link Codec#RAW}.
 *     The frame header says the same in other words; the two are compared
 * @param payloadCrc CRC32C of the payload, made by the sender's worker, checked by the receiver
 * @param envelope how the payload is encrypted
 */
public record BulkHeader(
    Kind kind,
    int disk,
    long block,
    BlockId id,
    Codec codec,
    int plainLength,
    int payloadLength,
    int payloadCrc,
    Envelope envelope) {

  public static final int BYTES = 56 + Envelope.BYTES;

  /** Frame header and bulk header: all that stands before a bulk payload. */
  public static final int PREFIX_BYTES = FrameHeader.BYTES + BYTES;

  /** Room for a slot header beside a payload, rounded to a page: see the backup file format. */
  private static final int SLOT_OVERHEAD = BufferPool.ALIGNMENT;

  public enum Kind {
    BLOCK,
    DATA
  }

  /** Credit one bulk frame costs: the receiver's whole slot, whatever the payload's length. */
  public static long cost(BlockSize blockSize) {
    return blockSize.bytes() + (long) SLOT_OVERHEAD;
  }

  void write(ByteBuffer out) {
    String wrong = wrong();
    if (!wrong.isEmpty()) {
      throw new IllegalArgumentException(this + ": " + wrong);
    }
    out.putShort((short) disk).put((byte) codec.number()).put((byte) 0).putInt(plainLength);
    out.putLong(block);
    id.write(out);
    out.putInt(payloadLength).putInt(payloadCrc);
    envelope.write(out);
  }

  static BulkHeader read(FrameHeader frame, ByteBuffer in) {
    Kind kind = frame.type() == FrameType.BLOCK ? Kind.BLOCK : Kind.DATA;
    int disk = Short.toUnsignedInt(in.getShort());
    int codecNumber = Byte.toUnsignedInt(in.get());
    int reserved = in.get();
    int plainLength = in.getInt();
    long block = in.getLong();
    BlockId id = BlockId.read(in);
    int payloadLength = in.getInt();
    int payloadCrc = in.getInt();
    int encoder = Short.toUnsignedInt(in.getShort());
    long reservedToo = in.getShort() | in.getInt();
    Envelope envelope =
        new Envelope(
            encoder,
            new UUID(in.getLong(), in.getLong()),
            in.getLong(),
            in.getLong(),
            in.getLong(),
            in.getLong());
    Codec codec = Codec.of(codecNumber).orElseThrow(() -> violation(kind, "codec " + codecNumber));
    BulkHeader header =
        new BulkHeader(
            kind, disk, block, id, codec, plainLength, payloadLength, payloadCrc, envelope);
    String wrong = header.wrong();
    if (!wrong.isEmpty()) {
      throw violation(kind, wrong);
    }
    if (reserved != 0 || reservedToo != 0 || payloadLength != frame.payloadLength() - BYTES) {
      throw violation(kind, "lengths that contradict each other");
    }
    return header;
  }

  /** What is wrong with the fields; empty when nothing is. Holds on both sides of the wire. */
  private String wrong() {
    if (disk < 0 || disk >= Open.MAX_DISKS) {
      return "disk " + disk;
    }
    if (block < 0) {
      return "block " + block;
    }
    if (plainLength < 1 || plainLength > BlockSize.MAX_BYTES) {
      return "a plain length of " + plainLength;
    }
    if (payloadLength < 1
        || payloadLength > plainLength
        || (codec == Codec.RAW && payloadLength != plainLength)) {
      return "a payload of %d bytes for %d plain ones".formatted(payloadLength, plainLength);
    }
    if (!envelope.isPossible()) {
      return "an envelope without a key";
    }
    return "";
  }

  private static LinkException violation(Kind kind, String what) {
    return new LinkException(
        ErrorCode.PROTOCOL_VIOLATION,
        "the peer sent a %s frame with %s; one side is damaged or not a mover of this version"
            .formatted(kind, what));
  }
}
