package dev.mover.transport.frame;

/**
 * Asks the repository to verify points.
 *
 * @param machine only this one's; empty: all
 * @param sequence only this one; 0: all
 * @param data read and hash every block; otherwise only structure
 */
public record Verify(String machine, long sequence, boolean data) implements Frame {}
