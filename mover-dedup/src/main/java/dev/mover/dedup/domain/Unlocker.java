package dev.mover.dedup.domain;

import java.util.Optional;
import java.util.UUID;

/**
 * One way to unlock a domain: a key pair, to which the domain's private keys are sealed. The
 * private half is locked with a password here, or is on paper or in a key file and not here.
 *
 * @param name what people call it, one a domain
 * @param lock of a password
 */
public record Unlocker(UUID id, String name, byte[] publicKey, Optional<PasswordLock> lock) {
  /** The form used in listings and files. */
  public String kind() {
    return lock.isPresent() ? "password" : "key";
  }
}
