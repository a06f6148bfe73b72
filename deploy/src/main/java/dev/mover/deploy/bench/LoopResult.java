package dev.mover.deploy.bench;

/**
 * What a bare loop did.
 *
 * @param plainBytes read from the image, or restored; holes are not in it
 * @param packedBytes what a repository would have to keep, without headers and padding
 */
record LoopResult(long plainBytes, long packedBytes) {}
