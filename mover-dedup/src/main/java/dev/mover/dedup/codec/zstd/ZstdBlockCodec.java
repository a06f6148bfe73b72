package dev.mover.dedup.codec.zstd;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.mover.api.block.Codec;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.Side;
import dev.mover.dedup.codec.BlockCodec;
import dev.mover.dedup.codec.Compression;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;

/**
 * Blocks as single zstd frames: content size in the header, no checksum (the block id is one), no
 * dictionary. Any zstd reads them. Holds one native context for each direction, reused from block
 * to block; a context is confined to one thread at a time. Burns CPU: not for event loops. A failed
 * call leaves the codec usable and the buffers' positions as they were, though bytes behind {@code
 * out}'s position may have been written.
 */
public final class ZstdBlockCodec implements BlockCodec {
  /**
   * Raised by hand with every other zstd: encryption relies on it. The test that pins the library's
   * version says so.
   */
  private static final int GENERATION = 1;

  private final Side side;
  private final ZstdCompressCtx packer =
      new ZstdCompressCtx().setChecksum(false).setDictID(false).setContentSize(true);
  private final ZstdDecompressCtx unpacker = new ZstdDecompressCtx();
  private int level;

  /** A proxy's codec. */
  public ZstdBlockCodec() {
    this(Side.PROXY);
  }

  /**
   * @param side named in errors about damaged blocks
   */
  public ZstdBlockCodec(Side side) {
    this.side = side;
  }

  @Override
  public Codec pack(ByteBuffer plain, ByteBuffer out, Compression compression) {
    int length = plain.remaining();
    if (out.remaining() < length) {
      throw new BufferOverflowException();
    }
    int packed = compression == Compression.NONE ? 0 : tryPack(plain, out, compression);
    if (packed == 0) {
      out.put(plain.duplicate());
      return Codec.RAW;
    }
    out.position(out.position() + packed);
    return Codec.ZSTD;
  }

  /** The packed length, at least one byte less than the plain one; 0 when it won't get smaller. */
  private int tryPack(ByteBuffer plain, ByteBuffer out, Compression compression) {
    int length = plain.remaining();
    if (length < 2) {
      return 0;
    }
    if (level != compression.level()) {
      level = compression.level();
      packer.setLevel(level);
    }
    try {
      return packer.compressDirectByteBuffer(
          out, out.position(), length - 1, plain, plain.position(), length);
    } catch (ZstdException e) {
      if (e.getErrorCode() == Zstd.errDstSizeTooSmall()) {
        return 0;
      }
      throw new AssertionError("zstd packs whatever it is given", e);
    }
  }

  @Override
  public int encoder(Compression compression) {
    return GENERATION << Byte.SIZE | compression.level();
  }

  @Override
  public void unpack(Codec codec, ByteBuffer payload, ByteBuffer out, int plainLength) {
    if (out.remaining() < plainLength) {
      throw new BufferOverflowException();
    }
    switch (codec) {
      case RAW -> {
        checkLength(payload.remaining(), plainLength);
        out.put(payload.duplicate());
      }
      case ZSTD -> {
        checkLength(unpackFrame(payload, out, plainLength), plainLength);
        out.position(out.position() + plainLength);
      }
    }
  }

  private int unpackFrame(ByteBuffer payload, ByteBuffer out, int plainLength) {
    try {
      return unpacker.decompressDirectByteBuffer(
          out, out.position(), plainLength, payload, payload.position(), payload.remaining());
    } catch (ZstdException e) {
      throw new DataException(
          ErrorCode.BLOCK_DAMAGED,
          side,
          "a block's payload is damaged, zstd says: " + e.getMessage(),
          e);
    }
  }

  private void checkLength(int length, int plainLength) {
    if (length != plainLength) {
      throw new DataException(
          ErrorCode.BLOCK_DAMAGED,
          side,
          "a block's payload is damaged: it holds %d bytes instead of %d"
              .formatted(length, plainLength));
    }
  }

  /** Frees the native contexts; idempotent. Later calls throw {@link IllegalStateException}. */
  @Override
  public void close() {
    packer.close();
    unpacker.close();
  }
}
