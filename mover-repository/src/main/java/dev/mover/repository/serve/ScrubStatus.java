package dev.mover.repository.serve;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How a background scrub stands.
 *
 * @param interval how old a point's last check may get; zero: there is no scrub
 * @param reading the file being checked
 * @param yields whether it waits for commits or restores to end
 * @param readBytes read since the repository was opened
 * @param checkedPoints since then
 * @param damagedPoints of these
 * @param lastRoundAt when every point that was due had been checked
 */
public record ScrubStatus(
    Duration interval,
    long bytesPerSec,
    Optional<String> reading,
    boolean yields,
    long readBytes,
    long checkedPoints,
    long damagedPoints,
    Optional<Instant> lastRoundAt) {}
