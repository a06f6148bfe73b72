package dev.mover.dedup.domain;

import dev.mover.api.block.WrappedKey;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.KeyException;
import dev.mover.api.error.Side;
import dev.mover.dedup.cipher.DataKey;
import dev.mover.dedup.cipher.bc.KeyBox;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.UUID;

/** An unlocked domain: makes data keys of wrapped ones. Any thread. */
public final class ReaderKeys {
  private final WriterKeys writer;

  /** Private keys by the fingerprint of their public halves. */
  private final Map<ByteBuffer, byte[]> privateKeys;

  ReaderKeys(WriterKeys writer, Map<ByteBuffer, byte[]> privateKeys) {
    this.writer = writer;
    this.privateKeys = Map.copyOf(privateKeys);
  }

  public UUID domain() {
    return writer.domain();
  }

  /** The half that needs no unlocking. */
  public WriterKeys writer() {
    return writer;
  }

  /**
   * The data key in a wrapped one; takes about 0.2 ms.
   *
   * @throws KeyException OTHER_DOMAIN when it was wrapped to a key that this copy of the domain
   *     hasn't
   * @throws DataException BLOCK_DAMAGED when it was changed
   */
  public DataKey unwrap(WrappedKey wrapped) {
    byte[] bytes = wrapped.bytes();
    if (bytes.length != WriterKeys.WRAPPED_BYTES || bytes[0] != WriterKeys.VERSION) {
      throw damaged(wrapped, "is of no kind that this mover knows");
    }
    byte[] privateKey = privateKeys.get(ByteBuffer.wrap(bytes, 1, 16).slice());
    if (privateKey == null) {
      throw new KeyException(
          ErrorCode.OTHER_DOMAIN,
          "%s was made with a key pair that this domain file hasn't; use the domain's newest file"
              .formatted(wrapped));
    }
    byte[] box = new byte[bytes.length - WriterKeys.BOX_AT];
    ByteBuffer.wrap(bytes).get(WriterKeys.BOX_AT, box);
    return KeyBox.open(privateKey, WriterKeys.context(domain(), wrapped.id()), box)
        .map(secret -> new DataKey(wrapped.id(), secret))
        .orElseThrow(() -> damaged(wrapped, "was changed"));
  }

  private static DataException damaged(WrappedKey wrapped, String what) {
    return new DataException(
        ErrorCode.BLOCK_DAMAGED,
        Side.REPOSITORY,
        "%s %s: the blocks under it can't be read; restore another point".formatted(wrapped, what));
  }
}
