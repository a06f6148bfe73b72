package dev.mover.repository;

import java.nio.file.Path;

/**
 * How an extent stands now.
 *
 * @param mode for people, for example {@code cloning on xfs, 4 KiB aligned, direct I/O}
 */
public record ExtentStatus(Path directory, String mode, long capacityBytes, long freeBytes) {}
