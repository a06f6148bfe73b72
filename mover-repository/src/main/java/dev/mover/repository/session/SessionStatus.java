package dev.mover.repository.session;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * How a backup session stands.
 *
 * @param peer address of its proxy
 * @param state {@code waiting} (for a task slot), {@code streaming}, {@code away} (its link is
 *     lost), {@code committing} or {@code ending}
 * @param disks names, in the session's order
 * @param runningTasks disks that stream in
 * @param queuedTasks disks that wait for a task slot
 * @param storedBytes slots written so far
 * @param since when it was opened
 */
public record SessionStatus(
    UUID sessionId,
    String machine,
    String peer,
    String state,
    List<String> disks,
    int runningTasks,
    int queuedTasks,
    long storedBytes,
    Instant since) {
  public SessionStatus {
    disks = List.copyOf(disks);
  }
}
