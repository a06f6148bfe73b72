package dev.mover.dedup.codec;

import dev.mover.api.block.Codec;
import java.nio.ByteBuffer;

/**
 * Packs and unpacks blocks; one instance a thread, closed by its owner (it holds native memory).
 * All buffers are direct; none is kept after a call.
 */
public interface BlockCodec extends AutoCloseable {
  /**
   * Packs {@code plain}'s remaining bytes to {@code out}'s position on and advances {@code out} by
   * the payload's length. {@code out} needs room for as many bytes as {@code plain} has: what does
   * not get smaller is copied, and the answer is {@link Codec#RAW}. {@code plain} is left as it
   * was.
   */
  Codec pack(ByteBuffer plain, ByteBuffer out, Compression compression);

  /**
   * What {@link #pack} makes its bytes by: equal blocks packed by equal encoders are equal bytes.
   *
   * @return below 2^16: generation of the packer, and how hard it packs
   */
  int encoder(Compression compression);

  /**
   * Unpacks {@code payload}'s remaining bytes to {@code out}'s position on, exactly {@code
   * plainLength} bytes, and advances {@code out}.
   *
   * @throws dev.mover.api.error.DataException BLOCK_DAMAGED when the payload does not unpack to
   *     exactly that
   */
  void unpack(Codec codec, ByteBuffer payload, ByteBuffer out, int plainLength);

  @Override
  void close();
}
