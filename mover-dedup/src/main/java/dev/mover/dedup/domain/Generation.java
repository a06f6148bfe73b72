package dev.mover.dedup.domain;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/**
 * A key pair of a domain. Data keys are sealed to the newest; older ones are there to read what was
 * written before.
 *
 * @param number from 1
 * @param shares by unlocker: the private half, sealed to the unlocker's public key; none in a
 *     writer's copy
 */
public record Generation(int number, Instant created, byte[] publicKey, Map<UUID, byte[]> shares) {
  public Generation {
    shares = Map.copyOf(shares);
  }
}
