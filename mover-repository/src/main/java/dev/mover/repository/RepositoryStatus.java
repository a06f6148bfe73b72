package dev.mover.repository;

import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * How a repository stands now.
 *
 * @param mode for people, for example {@code cloning on xfs, 4 KiB aligned, direct I/O}
 * @param maxConcurrentTasks as it is limited now
 * @param runningTasks disks being streamed in
 * @param queuedTasks disks waiting for a task slot
 * @param mostTasks most tasks that ever ran at once since it was opened
 * @param sessions backup sessions that are open
 * @param points restore points that are listed
 * @param warnings what a person should know, one sentence each; empty when all is well
 */
public record RepositoryStatus(
    Path directory,
    UUID repositoryId,
    String mode,
    long capacityBytes,
    long freeBytes,
    int maxConcurrentTasks,
    int runningTasks,
    int queuedTasks,
    int mostTasks,
    int sessions,
    long points,
    List<String> warnings) {
  public RepositoryStatus {
    warnings = List.copyOf(warnings);
  }
}
