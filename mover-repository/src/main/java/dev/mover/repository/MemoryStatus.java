package dev.mover.repository;

/**
 * A pool of native memory.
 *
 * @param name {@code receive}, {@code serve} or {@code metadata}
 * @param leasedBytes in somebody's hands now
 * @param budgetBytes most there may ever be
 */
public record MemoryStatus(String name, long leasedBytes, long budgetBytes) {}
