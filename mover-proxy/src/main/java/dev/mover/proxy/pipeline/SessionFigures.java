package dev.mover.proxy.pipeline;

import dev.mover.api.status.LoadLine;
import dev.mover.api.status.Stage;
import dev.mover.api.status.StageFigures;
import dev.mover.api.status.Status;
import dev.mover.proxy.BackupRequest;
import dev.mover.proxy.BackupResult;
import dev.mover.transport.frame.Committed;
import dev.mover.transport.frame.TargetFigures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a session counts and how long things take, up to its result. Guarded by the session's
 * monitor, but for the {@link #counters}, which any thread may tell.
 */
final class SessionFigures {
  private final BackupRequest request;
  private final Counters counters = new Counters();
  private final StageTimes times;
  private final long totalBytes;
  private final long startNs = System.nanoTime();
  private final List<String> warnings = new ArrayList<>();
  private final List<TaskFigures> tasks = new ArrayList<>();
  private TargetFigures target = TargetFigures.NONE;
  private int streaming;
  private int mostTasks;
  private long firstBeginNs;
  private long firstGrantNs;
  private long transferEndNs;

  SessionFigures(BackupRequest request, int workers) {
    this.request = request;
    this.times = new StageTimes(workers);
    this.totalBytes = request.disks().stream().mapToLong(d -> d.spec().sizeBytes()).sum();
  }

  Counters counters() {
    return counters;
  }

  /** The clocks of all tasks together. */
  StageTimes times() {
    return times;
  }

  long totalBytes() {
    return totalBytes;
  }

  /** Disks that stream now. */
  int streaming() {
    return streaming;
  }

  void warn(String warning) {
    warnings.add(warning);
  }

  // ---- what happens, in this order

  /** The first disk is about to ask for its slots. */
  void begins() {
    firstBeginNs = System.nanoTime();
  }

  /** The repository let a disk stream. */
  void granted() {
    streaming++;
    mostTasks = Math.max(mostTasks, streaming);
    if (!isGranted()) {
      firstGrantNs = System.nanoTime();
      times.begin();
    }
  }

  /** Whether any disk was let stream yet. */
  boolean isGranted() {
    return firstGrantNs != 0;
  }

  /** A disk streams no more. */
  void stopped(TaskFigures task) {
    streaming--;
    tasks.add(task);
  }

  /** The last block of the last disk is acknowledged. */
  void transferEnds() {
    transferEndNs = System.nanoTime();
    times.end();
  }

  /** What the repository measured at its side so far. */
  void target(TargetFigures figures) {
    target = figures;
  }

  // ---- what comes of it

  /** Busy shares so far; null outside the transfer. */
  @Nullable LoadLine loadNow() {
    return !isGranted() || transferEndNs != 0 ? null : load(System.nanoTime() - firstGrantNs);
  }

  /**
   * The result so far, and for good.
   *
   * @param repositoryMode as the repository said in the handshake
   */
  BackupResult result(Committed end, String repositoryMode) {
    List<String> all = new ArrayList<>(warnings);
    all.addAll(end.warnings());
    long now = System.nanoTime();
    long granted = isGranted() ? firstGrantNs : transferEndNs;
    return new BackupResult(
        all.isEmpty() ? Status.SUCCESS : Status.WARNING,
        all,
        request.machine().value(),
        end.sequence(),
        end.fileId(),
        repositoryMode,
        totalBytes,
        counters.readBytes(),
        counters.zeroBytes(),
        counters.knownBytes(),
        counters.sentBytes(),
        counters.sentPlainBytes(),
        end.storedBytes(),
        end.linkedBytes(),
        mostTasks,
        stages(),
        tasks,
        load(transferEndNs - granted),
        Duration.ofNanos(granted - firstBeginNs),
        Duration.ofNanos(transferEndNs - granted),
        Duration.ofNanos(now - startNs));
  }

  private LoadLine load(long elapsedNs) {
    return LoadLine.of(stages(), counters.readBytes(), elapsedNs);
  }

  private Map<Stage, StageFigures> stages() {
    Map<Stage, StageFigures> all = times.figures();
    all.put(
        Stage.TARGET,
        new StageFigures(
            target.busyNs(), target.inputWaitNs(), target.outputWaitNs(), target.bytes()));
    return all;
  }
}
