package dev.mover.transport.frame;

/** The proxy has a task slot for this disk and asks for the repository's. */
public record BeginDisk(int disk) implements Frame {}
