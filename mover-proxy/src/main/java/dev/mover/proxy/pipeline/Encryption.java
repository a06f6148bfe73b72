package dev.mover.proxy.pipeline;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.Codec;
import dev.mover.api.block.Envelope;
import dev.mover.api.block.SessionKey;
import dev.mover.dedup.cipher.BlockCipher;
import dev.mover.dedup.digest.IdKey;
import dev.mover.dedup.domain.Seals;
import dev.mover.dedup.domain.WriterKeys;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a session's blocks are named and hidden: a data key of its own under the request's key
 * domain, or not at all. Immutable; any thread.
 */
final class Encryption {
  private final Optional<WriterKeys> domain;
  private final WriterKeys.@Nullable NewKey key;

  /** Draws the session's data key. */
  Encryption(Optional<WriterKeys> domain) {
    this.domain = domain;
    this.key = domain.map(WriterKeys::newKey).orElse(null);
  }

  /** What the repository is told of the key. */
  @Nullable SessionKey told() {
    WriterKeys.NewKey own = key;
    return own == null ? null : own.told();
  }

  IdKey idKey() {
    return domain.map(WriterKeys::idKey).orElse(IdKey.NONE);
  }

  Optional<Seals> seals() {
    return domain.map(WriterKeys::seals);
  }

  /** Encrypts a packed block where it is. */
  Envelope encrypt(
      BlockCipher cipher,
      Codec codec,
      int encoder,
      BlockId id,
      int plainLength,
      ByteBuffer packed) {
    WriterKeys.NewKey own = key;
    return own == null
        ? Envelope.NONE
        : cipher.encrypt(own.key(), codec, encoder, id, plainLength, packed);
  }
}
