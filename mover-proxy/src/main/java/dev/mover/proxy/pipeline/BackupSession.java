package dev.mover.proxy.pipeline;

import static java.util.Objects.requireNonNull;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LimitException;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferSet;
import dev.mover.api.source.DiskSource;
import dev.mover.api.status.LoadLine;
import dev.mover.api.status.Stage;
import dev.mover.api.status.StageFigures;
import dev.mover.api.status.Status;
import dev.mover.proxy.BackupRequest;
import dev.mover.proxy.BackupResult;
import dev.mover.proxy.Cancellation;
import dev.mover.proxy.Progress;
import dev.mover.proxy.ProxyMemory;
import dev.mover.transport.frame.Abort;
import dev.mover.transport.frame.Ack;
import dev.mover.transport.frame.Answer;
import dev.mover.transport.frame.BeginDisk;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Bye;
import dev.mover.transport.frame.Checkpoint;
import dev.mover.transport.frame.Commit;
import dev.mover.transport.frame.CommitProgress;
import dev.mover.transport.frame.Committed;
import dev.mover.transport.frame.Credit;
import dev.mover.transport.frame.EndDisk;
import dev.mover.transport.frame.ErrorFrame;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.Get;
import dev.mover.transport.frame.Granted;
import dev.mover.transport.frame.Hello;
import dev.mover.transport.frame.ListPoints;
import dev.mover.transport.frame.MapPart;
import dev.mover.transport.frame.Need;
import dev.mover.transport.frame.Offer;
import dev.mover.transport.frame.Open;
import dev.mover.transport.frame.Opened;
import dev.mover.transport.frame.Ping;
import dev.mover.transport.frame.Point;
import dev.mover.transport.frame.Points;
import dev.mover.transport.frame.Pong;
import dev.mover.transport.frame.Queued;
import dev.mover.transport.frame.ReadMap;
import dev.mover.transport.frame.ReadPoint;
import dev.mover.transport.frame.Same;
import dev.mover.transport.frame.Sent;
import dev.mover.transport.frame.TargetFigures;
import dev.mover.transport.frame.VerdictFrame;
import dev.mover.transport.frame.Verify;
import dev.mover.transport.frame.Welcome;
import dev.mover.transport.frame.Zero;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.LinkConnector;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One backup of one machine over one link, from OPEN to COMMITTED. The caller's thread runs {@link
 * #run}: it hands disks to task threads as slots come free, tells progress, and commits. This
 * object's monitor guards the session and all its tasks; it is held for moments only, never over
 * I/O or CPU work.
 *
 * <p>The first failure, from wherever, ends the session: it is sent to the repository as ABORT,
 * wakes everybody, and {@link #run} throws it once nothing moves any more.
 */
public final class BackupSession {
  private static final Logger log = LoggerFactory.getLogger(BackupSession.class);

  private final BackupRequest request;
  private final Cancellation cancellation;
  private final ProxyMemory memory;
  private final CpuPool cpu;
  private final TaskSlots.Holder slots;
  private final LinkLimits limits;
  private final ProgressTeller teller;
  private final UUID sessionId = UUID.randomUUID();
  private final Counters counters = new Counters();
  private final StageTimes times;
  private final long creditCost;
  private final long totalBytes;
  private final long startNs = System.nanoTime();

  // Guarded by this.
  private final Map<Integer, DiskTask> running = new HashMap<>();
  private final Queue<DiskTask> turn = new ArrayDeque<>();
  private final List<String> warnings = new ArrayList<>();
  private final NeedList needs;
  private final List<TaskFigures> taskFigures = new ArrayList<>();
  private @Nullable FrameLink link;
  private LinkLimits.@Nullable Line line;
  private volatile @Nullable MoverException failure;
  private @Nullable Opened opened;
  private @Nullable Committed committed;
  private TargetFigures target = TargetFigures.NONE;
  private long credit;
  private int commitPercent;
  private int nextDisk;
  private int endedDisks;
  private int streaming;
  private int mostTasks;
  private long firstBeginNs;
  private long firstGrantNs;
  private long transferEndNs;
  private String detail = "";
  private boolean committing;
  private boolean resending;
  private long resentAcks;

  // Used by the caller's thread only.
  private final List<CompletableFuture<Void>> tasks = new ArrayList<>();
  private long resent;

  public BackupSession(
      BackupRequest request,
      ProxyMemory memory,
      CpuPool cpu,
      TaskSlots slots,
      LinkLimits limits,
      Progress.Listener listener,
      Cancellation cancellation) {
    this.request = request;
    this.cancellation = cancellation;
    this.memory = memory;
    this.cpu = cpu;
    this.needs = new NeedList(request);
    this.slots = slots.holder(memory.slotsPerTask(request.blockSize()), this::wake);
    this.limits = limits;
    this.teller = new ProgressTeller(listener);
    this.times = new StageTimes(cpu.workers());
    this.creditCost = BulkHeader.cost(request.blockSize());
    this.totalBytes = request.disks().stream().mapToLong(d -> d.spec().sizeBytes()).sum();
  }

  /** Runs the backup; blocks until the point is committed. */
  public BackupResult run(LinkConnector connector) {
    tell("connect");
    FrameLink connected = Connecting.connect(connector, BulkReceiver.NONE);
    LinkLimits.Line limited = limits.line(connector.address(), this::wake);
    synchronized (this) {
      link = connected;
      line = limited;
    }
    try {
      cancellation.onCancel(this::cancel);
      connected.control().subscribe(this::onFrame, this::onLost, this::onEnd);
      connected.send(
          new Open(
              sessionId,
              request.machine(),
              request.blockSize(),
              request.disks().stream().map(DiskSource::spec).toList()));
      await(() -> opened != null);
      stream();
      commit();
      return result();
    } catch (Throwable e) {
      throw fail(e);
    } finally {
      awaitTasks();
      slots.close();
      limited.close();
      connected.close();
    }
  }

  private void stream() {
    firstBeginNs = System.nanoTime();
    while (endedDisks() < request.disks().size()) {
      while (nextDisk < request.disks().size()
          && nextDisk - endedDisks() < request.mostTasks()
          && slots.tryTake()) {
        begin(nextDisk++);
      }
      pauseUnless(() -> endedDisks == request.disks().size());
      tell(granted() ? "transfer" : "queue");
    }
    synchronized (this) {
      check();
      transferEndNs = System.nanoTime();
      times.end();
    }
  }

  /** Starts one disk's task, which owns the slots just taken from here on. */
  private void begin(int disk) {
    DiskTask task;
    try {
      task =
          new DiskTask(
              this,
              disk,
              request.disks().get(disk),
              request.blockSize(),
              request.compression(),
              memory,
              cpu);
    } catch (Throwable e) {
      slots.giveBack();
      throw e;
    }
    synchronized (this) {
      running.put(disk, task);
      turn.add(task);
    }
    try {
      tasks.add(
          CompletableFuture.runAsync(
              task::run, run -> Thread.ofPlatform().daemon().name("task-" + disk).start(run)));
    } catch (Throwable e) {
      task.close(); // it never ran: no thread to be had
      throw e;
    }
  }

  /** Waits until no task runs, whatever became of them; no interrupt ends it. */
  private void awaitTasks() {
    CompletableFuture.allOf(tasks.toArray(CompletableFuture[]::new))
        .handle(
            (_, error) -> {
              if (error != null) {
                log.error("a task did not end as it should", error);
              }
              return this;
            })
        .join();
  }

  private void commit() {
    while (true) {
      synchronized (this) {
        check();
        committing = true;
      }
      link().send(new Commit(sessionId));
      while (!commitAnswered()) {
        pauseUnless(this::commitAnswered);
        tell("commit");
      }
      List<Need> asked;
      synchronized (this) {
        check();
        if (committed != null) {
          return;
        }
        committing = false;
        asked = needs.take();
        resending = true;
      }
      if (cancellation.isCancelled()) {
        throw cancelled(null); // it came too late for the commit, but not for this
      }
      resend(asked);
    }
  }

  /** Sends again what the repository lost; a task like another, so it waits for a slot. */
  private void resend(List<Need> asked) {
    long blocks = asked.stream().mapToLong(n -> n.blocks().size()).sum();
    log.warn("the repository lost {} blocks it had linked; sending them again", blocks);
    warn(blocks + " blocks the repository knew were damaged there and were sent again");
    await(slots::tryTake);
    try {
      new Resend(this, request, memory, cpu).send(asked);
    } finally {
      slots.giveBack();
    }
  }

  private synchronized boolean commitAnswered() {
    return failure != null || committed != null || needs.complete();
  }

  private BackupResult result() {
    BackupResult result = summary();
    teller.tell(
        new Progress(
            "done", 100, totalBytes, totalBytes, counters.sentBytes(), 0, "", result.load()));
    return result;
  }

  private synchronized BackupResult summary() {
    Committed end = requireNonNull(committed);
    warnings.addAll(end.warnings());
    long now = System.nanoTime();
    long granted = firstGrantNs == 0 ? transferEndNs : firstGrantNs;
    return new BackupResult(
        warnings.isEmpty() ? Status.SUCCESS : Status.WARNING,
        warnings,
        request.machine().value(),
        end.sequence(),
        end.fileId(),
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
        taskFigures,
        load(transferEndNs - granted),
        Duration.ofNanos(granted - firstBeginNs),
        Duration.ofNanos(transferEndNs - granted),
        Duration.ofNanos(now - startNs));
  }

  private @Nullable LoadLine loadNow() {
    return firstGrantNs == 0 || transferEndNs != 0 ? null : load(System.nanoTime() - firstGrantNs);
  }

  private Map<Stage, StageFigures> stages() {
    Map<Stage, StageFigures> all = times.figures();
    all.put(
        Stage.TARGET,
        new StageFigures(
            target.busyNs(), target.inputWaitNs(), target.outputWaitNs(), target.bytes()));
    return all;
  }

  private LoadLine load(long elapsedNs) {
    return LoadLine.of(stages(), counters.readBytes(), elapsedNs);
  }

  // ---- the link's side: control frames, on the transport's thread ----

  private void onFrame(Frame frame) {
    try {
      synchronized (this) {
        if (!failed()) {
          take(frame);
          admit();
          notifyAll();
        }
      }
    } catch (Throwable e) {
      fail(e);
    }
  }

  private void take(Frame frame) {
    switch (frame) {
      case Opened o -> opened = o;
      case Queued q -> detail = q.reason();
      case Granted g -> {
        credit += g.creditBytes();
        detail = "";
        streaming++;
        mostTasks = Math.max(mostTasks, streaming);
        if (firstGrantNs == 0) {
          firstGrantNs = System.nanoTime();
          times.begin();
        }
        task(g.disk()).onGranted();
      }
      case Answer a -> task(a.disk()).onAnswer(a);
      case Ack a -> {
        DiskTask task = running.get(a.disk());
        if (task != null) {
          task.onAck(a);
        } else if (resending) {
          resentAcks += a.blocks().size();
        } else {
          throw violation("an ACK for disk " + a.disk() + ", which is not running");
        }
      }
      case Credit c -> credit += c.bytes();
      case Checkpoint c -> target = c.figures();
      case CommitProgress p -> {
        commitPercent = Math.max(commitPercent, p.percent());
        detail = p.phase();
      }
      case Need n -> {
        requireCommitting("NEED");
        needs.add(n);
      }
      case Committed c -> {
        requireCommitting("COMMITTED");
        target = c.figures();
        committed = c;
      }
      case Hello _,
          Welcome _,
          Open _,
          BeginDisk _,
          Zero _,
          Same _,
          Offer _,
          EndDisk _,
          Commit _,
          Abort _,
          Ping _,
          Pong _,
          Bye _,
          ErrorFrame _,
          ListPoints _,
          Points _,
          ReadPoint _,
          Point _,
          ReadMap _,
          MapPart _,
          Get _,
          Sent _,
          Verify _,
          VerdictFrame _ ->
          throw violation("a frame that no backup expects: " + frame.getClass().getSimpleName());
    }
  }

  private void requireCommitting(String frame) {
    if (!committing) {
      throw violation(frame + " before it was asked to commit");
    }
  }

  private DiskTask task(int disk) {
    DiskTask task = running.get(disk);
    if (task == null) {
      throw violation("a frame about disk " + disk + ", which is not running");
    }
    return task;
  }

  LinkException violation(String what) {
    return new LinkException(
        ErrorCode.PROTOCOL_VIOLATION, "repository " + link().peer() + " sent " + what);
  }

  private void onLost(Throwable error) {
    fail(
        error instanceof MoverException e
            ? outcome(e)
            : new LinkException(
                ErrorCode.LINK_LOST, "the link to " + link().peer() + " broke: " + error, error));
  }

  private void onEnd() {
    fail(
        outcome(
            new LinkException(
                ErrorCode.LINK_LOST,
                "repository "
                    + link().peer()
                    + " closed the link before the point was committed; run again")));
  }

  /** A link lost between COMMIT and its answer leaves open what became of the point. */
  private synchronized MoverException outcome(MoverException error) {
    boolean lost = error.code() == ErrorCode.LINK_LOST || error.code() == ErrorCode.DEADLINE_PASSED;
    return committing && lost
        ? new LinkException(
            error.code(),
            error.getMessage()
                + "; the repository was committing: list its points to see whether this one is"
                + " there",
            error)
        : error;
  }

  // ---- for tasks ----

  FrameLink link() {
    return requireNonNull(link);
  }

  Counters counters() {
    return counters;
  }

  boolean failed() {
    return failure != null;
  }

  synchronized void warn(String warning) {
    warnings.add(warning);
  }

  synchronized void wake() {
    admit();
    notifyAll();
  }

  boolean hasCredit() {
    return credit >= creditCost;
  }

  void spendCredit() {
    credit -= creditCost;
  }

  /** Takes credit for a block that is sent again, waiting for it and for the link. */
  synchronized void awaitCredit(int plainBytes) {
    await(() -> hasCredit() && line().tryPass(plainBytes));
    spendCredit();
  }

  /** Waits until the repository acknowledged one more block that was sent again. */
  void awaitResent() {
    long expected = ++resent;
    await(() -> resentAcks >= expected);
  }

  /**
   * Lets wanted blocks go on to packing, one a task in turn, while credit and buffers last and the
   * link does not owe. The turn goes on from call to call: credit comes back a block at a time.
   */
  void admit() {
    int refused = 0;
    while (!failed() && hasCredit() && refused < turn.size()) {
      DiskTask task = turn.remove();
      turn.add(task);
      refused = task.admitOne() ? 0 : refused + 1;
    }
    boolean credit = hasCredit();
    boolean limited = line != null && line.isWaiting();
    turn.forEach(task -> task.observeHold(!credit, limited));
    boolean wanted = turn.stream().anyMatch(DiskTask::hasWanted);
    times.held(!credit && wanted, limited && wanted);
  }

  /** What the link may carry. */
  LinkLimits.Line line() {
    return requireNonNull(line);
  }

  /** With the lock held: the clocks of all tasks together. */
  StageTimes times() {
    return times;
  }

  /**
   * Records the first failure and ends the session; returns the one that counts. Once the point is
   * committed nothing can fail it any more.
   */
  MoverException fail(Throwable error) {
    return fail(error, () -> committed != null);
  }

  /** Somebody asks to stop. While the repository commits there is nothing left to save by it. */
  private void cancel() {
    fail(cancelled(null), () -> committing);
  }

  private MoverException fail(Throwable error, BooleanSupplier tooLate) {
    MoverException cause = known(error);
    FrameLink open;
    synchronized (this) {
      MoverException first = failure;
      if (first != null) {
        return first;
      }
      if (tooLate.getAsBoolean()) {
        return cause;
      }
      failure = cause;
      open = link;
      notifyAll();
    }
    if (open != null) {
      open.send(new Abort(cause.getMessage()));
      open.close();
    }
    return cause;
  }

  private static MoverException known(Throwable error) {
    if (error instanceof MoverException e) {
      return e;
    }
    log.error("a backup fails of an internal error", error);
    return MoverException.of(
        ErrorCode.INTERNAL, Side.PROXY, "internal error, please report it: " + error, error);
  }

  /** Throws the session's failure, if there is one. */
  void check() {
    MoverException failed = failure;
    if (failed != null) {
      throw failed;
    }
  }

  /** Waits until {@code condition} (read under the lock) holds; throws when the session failed. */
  void await(BooleanSupplier condition) {
    awaitValue(() -> condition.getAsBoolean() ? this : null);
  }

  BlockBuffer awaitBuffer(BufferSet buffers) {
    return awaitValue(buffers::tryTake);
  }

  private synchronized <T> T awaitValue(Supplier<@Nullable T> source) {
    T value;
    check();
    while ((value = source.get()) == null) {
      try {
        wait();
      } catch (InterruptedException e) {
        throw cancelled(e);
      }
      check();
    }
    return value;
  }

  /** As {@link #await}, for a task's end: goes on waiting after a failure. */
  synchronized void awaitEnd(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      try {
        wait();
      } catch (InterruptedException e) {
        log.warn("somebody interrupts a task; it still waits for what it lent", e);
      }
    }
  }

  /** Waits a moment for news, unless {@code condition} holds already; throws when failed. */
  @SuppressWarnings("WaitNotInLoop") // one more look, a moment later, is all the caller wants
  private synchronized void pauseUnless(BooleanSupplier condition) {
    check();
    if (!condition.getAsBoolean()) {
      try {
        wait(ProgressTeller.EVERY_MS);
      } catch (InterruptedException e) {
        throw cancelled(e);
      }
      check();
    }
  }

  private static LimitException cancelled(@Nullable InterruptedException e) {
    return new LimitException(ErrorCode.CANCELLED, Side.PROXY, "the backup was cancelled", e);
  }

  /** The task streams no more; called before the repository may give its slot to another. */
  synchronized void stopped(DiskTask task) {
    streaming--;
    task.stopTimes();
    taskFigures.add(task.figures());
  }

  void ended(DiskTask task) {
    synchronized (this) {
      running.remove(task.disk());
      turn.remove(task);
      endedDisks++;
      notifyAll();
    }
    slots.giveBack(); // without our lock: it wakes other sessions
  }

  private synchronized int endedDisks() {
    return endedDisks;
  }

  private synchronized boolean granted() {
    return firstGrantNs != 0;
  }

  /**
   * Transfer is 0 to 99 %, commit the last percent: it takes a second where transfer takes hours.
   */
  private void tell(String phase) {
    Progress progress;
    synchronized (this) {
      long done = counters.doneBytes();
      double share = totalBytes == 0 ? 1 : (double) done / totalBytes;
      double percent =
          switch (phase) {
            case "connect", "queue" -> 0;
            case "transfer" -> 99 * share;
            default -> 99 + commitPercent / 100.0;
          };
      String why =
          phase.equals("queue") && running.isEmpty()
              ? "waiting for a task slot of this proxy"
              : detail;
      progress =
          new Progress(
              phase, percent, done, totalBytes, counters.sentBytes(), streaming, why, loadNow());
    }
    teller.tell(progress);
  }
}
