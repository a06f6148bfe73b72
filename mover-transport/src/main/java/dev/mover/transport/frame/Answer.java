package dev.mover.transport.frame;

import java.util.BitSet;

/**
 * Answers the {@link Offer} that began at {@code firstBlock}; offers of a disk are answered in
 * their order.
 *
 * @param wanted bit i set: send block {@code firstBlock + i}; clear: the repository has it
 */
public record Answer(int disk, long firstBlock, int count, BitSet wanted) implements Frame {}
