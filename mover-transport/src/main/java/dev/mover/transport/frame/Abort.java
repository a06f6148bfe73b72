package dev.mover.transport.frame;

/** The sender gives the session up; what is durable stays as a partial. */
public record Abort(String reason) implements Frame {}
