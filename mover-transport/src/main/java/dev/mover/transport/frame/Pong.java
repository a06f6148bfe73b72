package dev.mover.transport.frame;

/** Answers {@link Ping}. */
public record Pong(long number) implements Frame {}
