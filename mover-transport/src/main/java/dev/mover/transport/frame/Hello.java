package dev.mover.transport.frame;

/**
 * First frame of a client: says that this is a mover, and which versions it speaks.
 *
 * @param software for logs, at most 64 bytes, for example {@code mover 0.1.0}
 */
public record Hello(int lowestVersion, int highestVersion, String software) implements Frame {}
