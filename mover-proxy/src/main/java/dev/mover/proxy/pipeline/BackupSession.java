package dev.mover.proxy.pipeline;

import dev.mover.api.source.DiskSource;
import dev.mover.proxy.BackupRequest;
import dev.mover.proxy.BackupResult;
import dev.mover.proxy.Cancellation;
import dev.mover.proxy.LinkPatience;
import dev.mover.proxy.Progress;
import dev.mover.proxy.ProxyMemory;
import dev.mover.transport.frame.Committed;
import dev.mover.transport.frame.Open;
import dev.mover.transport.link.LinkConnector;
import java.util.UUID;

/**
 * One backup of one machine, over one link as long as it holds ({@link Reconnection}).
 *
 * <pre>
 * OPEN ─▶ OPENED ─▶ a task a disk ({@link DiskTasks}) ─▶ COMMIT … COMMITTED ({@link CommitPhase}) ─▶ result
 *                        ▲ what the repository says ({@link FrameIntake}) ▲
 * </pre>
 *
 * <p>The caller's thread runs {@link #run}. The first failure, from wherever, ends the session
 * ({@link SessionMonitor}), and {@link #run} throws it once nothing moves any more.
 */
public final class BackupSession {
  private final BackupRequest request;
  private final ProxyMemory memory;
  private final CpuPool cpu;
  private final TaskSlots slots;
  private final LinkLimits limits;
  private final LinkPatience patience;
  private final Cancellation cancellation;
  private final SessionFigures figures;
  private final SessionProgress progress;
  private final Encryption encryption;
  private final UUID sessionId = UUID.randomUUID();

  public BackupSession(
      BackupRequest request,
      ProxyMemory memory,
      CpuPool cpu,
      TaskSlots slots,
      LinkLimits limits,
      LinkPatience patience,
      Progress.Listener listener,
      Cancellation cancellation) {
    this.request = request;
    this.memory = memory;
    this.cpu = cpu;
    this.slots = slots;
    this.limits = limits;
    this.patience = patience;
    this.cancellation = cancellation;
    this.encryption = new Encryption(request.domain());
    this.figures = new SessionFigures(request, cpu.workers());
    this.progress = new SessionProgress(listener, figures);
  }

  /** Runs the backup; blocks until the point is committed. */
  public BackupResult run(LinkConnector connector) {
    progress.tellConnecting();
    try (SessionLink link = SessionLink.connect(connector)) {
      SessionMonitor monitor = new SessionMonitor(link);
      try (Admission admission =
              new Admission(monitor, figures, request.blockSize(), limits, connector.address());
          TaskSlots.Holder taken =
              slots.holder(memory.slotsPerTask(request.blockSize()), admission::wake)) {
        return run(
            new Session(
                request,
                memory,
                cpu,
                taken,
                link,
                monitor,
                figures,
                progress,
                admission,
                encryption,
                new DiskSeals(request, sessionId, encryption)),
            connector);
      }
    }
  }

  private BackupResult run(Session session, LinkConnector connector) {
    SessionMonitor monitor = session.monitor();
    CommitPhase commit = new CommitPhase(session, sessionId, cancellation);
    try (DiskTasks tasks = new DiskTasks(session);
        Reconnection reconnection =
            new Reconnection(session, open(), connector, patience, tasks, commit);
        Stall _ =
            new Stall(
                session,
                patience.stalledAfter(),
                () -> reconnection.isOpened() && figures.streaming() == 0 && !commit.isBusy(),
                commit::explained)) {
      try {
        cancellation.onCancel(commit::cancel);
        new FrameIntake(session, tasks, commit, reconnection).open();
        tasks.stream();
        return result(session, commit.run());
      } catch (Throwable e) {
        throw monitor.fail(e);
      }
    }
  }

  private Open open() {
    return new Open(
        sessionId,
        request.machine(),
        request.blockSize(),
        request.disks().stream().map(DiskSource::spec).toList(),
        encryption.told());
  }

  private BackupResult result(Session session, Committed committed) {
    BackupResult result;
    synchronized (session.monitor()) {
      result = figures.result(committed, session.link().repositoryMode());
    }
    progress.tellDone(result);
    return result;
  }
}
