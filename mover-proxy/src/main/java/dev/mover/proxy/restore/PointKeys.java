package dev.mover.proxy.restore;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.Envelope;
import dev.mover.api.block.WrappedKey;
import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.KeyException;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.Side;
import dev.mover.api.point.Name;
import dev.mover.api.point.RestorePoint;
import dev.mover.dedup.cipher.DataKey;
import dev.mover.dedup.digest.IdKey;
import dev.mover.dedup.domain.ReaderKeys;
import dev.mover.transport.frame.Keys;
import dev.mover.transport.frame.ReadKeys;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What is needed to read an encrypted point, and to know that it is the one that was asked for. A
 * data key is opened when its first block comes. Any thread.
 */
final class PointKeys {
  /** More keys than any repository's file has room for. */
  private static final int MAX_KEYS = 1 << 16;

  private final RestorePoint point;
  private final @Nullable ReaderKeys domain;
  private final Map<UUID, WrappedKey> wrapped;
  private final Map<UUID, DataKey> open = new ConcurrentHashMap<>();

  private PointKeys(
      RestorePoint point, @Nullable ReaderKeys domain, Map<UUID, WrappedKey> wrapped) {
    this.point = point;
    this.domain = domain;
    this.wrapped = wrapped;
  }

  /**
   * Asks for the wrapped keys of the point that {@code link} has open.
   *
   * @throws KeyException DOMAIN_NEEDED, OTHER_DOMAIN: the point and the domain don't belong
   *     together
   */
  static PointKeys read(Conversation link, RestorePoint point, Optional<ReaderKeys> domain) {
    if (domain.isEmpty()) {
      if (point.isEncrypted()) {
        throw new KeyException(
            ErrorCode.DOMAIN_NEEDED,
            "point %d of %s is encrypted in domain %s; name the domain file with --domain"
                .formatted(point.sequence(), point.machine(), point.domain()));
      }
      return new PointKeys(point, null, Map.of());
    }
    if (!point.domain().equals(domain.get().domain())) {
      throw new KeyException(
          ErrorCode.OTHER_DOMAIN,
          "point %d of %s %s, not in %s; %s"
              .formatted(
                  point.sequence(),
                  point.machine(),
                  point.isEncrypted()
                      ? "is encrypted in domain " + point.domain()
                      : "is not encrypted",
                  domain.get().domain(),
                  point.isEncrypted()
                      ? "use that domain's file"
                      : "restore it without --domain only if it was made so"));
    }
    Map<UUID, WrappedKey> wrapped = new HashMap<>();
    int first = 0;
    Keys part = link.ask(new ReadKeys(first), Keys.class);
    while (!part.keys().isEmpty()) {
      part.keys().forEach(key -> wrapped.put(key.id(), key));
      first += part.keys().size();
      if (part.first() + part.keys().size() != first || first > MAX_KEYS) {
        throw new LinkException(
            ErrorCode.PROTOCOL_VIOLATION, "the repository's list of keys has no order, or no end");
      }
      part = link.ask(new ReadKeys(first), Keys.class);
    }
    return new PointKeys(point, domain.get(), wrapped);
  }

  IdKey idKey() {
    ReaderKeys reader = domain;
    return reader == null ? IdKey.NONE : reader.writer().idKey();
  }

  /**
   * Checks that a disk is what a writer of the domain sealed for this machine and point.
   *
   * @param asked the machine that was asked for, whatever the repository calls the point's
   * @param askedSequence and the point of it, 0: the newest
   * @throws KeyException SEAL_BROKEN
   */
  void checkSeal(Name asked, long askedSequence, RestorePoint.Disk disk) {
    ReaderKeys reader = domain;
    if (reader == null) {
      return;
    }
    if (askedSequence != 0 && askedSequence != point.sequence()) {
      throw new KeyException(
          ErrorCode.SEAL_BROKEN,
          "point %d of %s was asked for, and the repository has point %d in its place; nothing was written, find out who put it there"
              .formatted(askedSequence, asked, point.sequence()));
    }
    BlockId seal =
        reader
            .writer()
            .seals()
            .of(
                point.sessionId(),
                asked,
                point.sequence(),
                point.blockSize(),
                disk.spec(),
                disk.digest());
    if (!seal.equals(disk.seal())) {
      throw new KeyException(
          ErrorCode.SEAL_BROKEN,
          "disk %s of %s, point %d is not as its domain sealed it: the repository changed it or put it together; nothing was written, restore another point and find out who changed this one"
              .formatted(disk.spec().name(), asked, point.sequence()));
    }
  }

  /**
   * The key of a payload; nothing when it is not encrypted.
   *
   * @throws DataException BLOCK_DAMAGED when it is and its point is not, or the other way about
   */
  Optional<DataKey> of(Envelope envelope, long block) {
    ReaderKeys reader = domain;
    if (reader == null && envelope.isNone()) {
      return Optional.empty();
    }
    WrappedKey key = wrapped.get(envelope.key());
    if (reader == null || key == null) {
      throw new DataException(
          ErrorCode.BLOCK_DAMAGED,
          Side.REPOSITORY,
          "block %d is under a key that its point does not have; verify the point"
              .formatted(block));
    }
    return Optional.of(open.computeIfAbsent(key.id(), _ -> reader.unwrap(key)));
  }
}
