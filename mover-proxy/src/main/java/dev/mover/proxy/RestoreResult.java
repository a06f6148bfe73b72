package dev.mover.proxy;

import java.time.Duration;

/**
 * A disk that was restored whole: every block had its id and the disk its digest.
 *
 * @param writtenBytes plain bytes written; zeros that needed no writing are not in it
 * @param receivedBytes payload bytes received
 */
public record RestoreResult(
    String machine,
    long sequence,
    String disk,
    long sizeBytes,
    long writtenBytes,
    long receivedBytes,
    Duration total) {}
