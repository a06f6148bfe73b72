package dev.mover.transport.frame;

/**
 * Commit goes on.
 *
 * @param percent 0 to 100, monotone
 */
public record CommitProgress(int percent, String phase) implements Frame {}
