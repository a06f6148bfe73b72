package dev.mover.transport.frame;

/** Asks for a {@link Pong} with the same number; sent when a link was silent for a while. */
public record Ping(long number) implements Frame {}
