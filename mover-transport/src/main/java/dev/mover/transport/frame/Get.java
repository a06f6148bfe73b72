package dev.mover.transport.frame;

/**
 * Asks for every data block of a disk, in the order that suits the repository's storage, as {@link
 * BulkHeader DATA} frames under the credit the receiver gives.
 */
public record Get(int disk) implements Frame {}
