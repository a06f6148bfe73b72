package dev.mover.transport.frame;

import dev.mover.api.point.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * One point's verdict; the last frame of a {@link Verify} has none.
 *
 * @param verdict null: done, nothing follows
 * @param checked points checked so far
 * @param total points to check
 */
public record VerdictFrame(@Nullable Verdict verdict, long checked, long total) implements Frame {}
