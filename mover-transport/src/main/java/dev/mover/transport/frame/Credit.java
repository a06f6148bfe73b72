package dev.mover.transport.frame;

/** The receiver of bulk frames allows this many bytes more in flight, on top of what is left. */
public record Credit(long bytes) implements Frame {}
