package dev.mover.proxy;

import dev.mover.api.status.LoadLine;
import dev.mover.api.status.Stage;
import dev.mover.api.status.StageFigures;
import dev.mover.api.status.Status;
import dev.mover.proxy.pipeline.TaskFigures;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What a finished backup did. Failures are exceptions, so {@code status} is SUCCESS or WARNING.
 *
 * @param repositoryMode what the repository's file system can do, for people
 * @param readBytes bytes read from the sources; holes that were skipped are not in it
 * @param zeroBytes of the disks' size, bytes in zero blocks, read or skipped
 * @param knownBytes plain bytes the repository already had
 * @param sentBytes payload bytes sent, headers not counted
 * @param sentPlainBytes plain bytes of the blocks that were sent
 * @param storedBytes new bytes in the repository: slots with headers and padding
 * @param linkedBytes stored bytes brought in by cloning or by reference
 * @param mostTasks most disks that were streaming at once
 * @param stages time by stage of all tasks together
 * @param tasks time by stage of each disk
 * @param load busy shares over {@code transfer}
 * @param queued time the first disk waited for a repository slot
 * @param transfer from the first slot granted to the last block acknowledged
 * @param total from connecting to COMMITTED
 */
public record BackupResult(
    Status status,
    List<String> warnings,
    String machine,
    long sequence,
    UUID fileId,
    String repositoryMode,
    long sizeBytes,
    long readBytes,
    long zeroBytes,
    long knownBytes,
    long sentBytes,
    long sentPlainBytes,
    long storedBytes,
    long linkedBytes,
    int mostTasks,
    Map<Stage, StageFigures> stages,
    List<TaskFigures> tasks,
    LoadLine load,
    Duration queued,
    Duration transfer,
    Duration total) {
  public BackupResult {
    warnings = List.copyOf(warnings);
    stages = Map.copyOf(stages);
    tasks = List.copyOf(tasks);
  }
}
