package dev.mover.api.block;

import java.util.UUID;

/**
 * What a session that encrypts says of its key: the key domain, whose blocks alone it shares, and
 * its data key as only that domain can open it.
 */
public record SessionKey(UUID domain, WrappedKey key) {
  /** The domain of everything that is not encrypted. */
  public static final UUID NO_DOMAIN = new UUID(0, 0);
}
