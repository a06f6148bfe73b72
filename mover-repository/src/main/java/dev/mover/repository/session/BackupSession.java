package dev.mover.repository.session;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.point.DiskSpec;
import dev.mover.repository.commit.CommitOutcome;
import dev.mover.repository.extent.Strand;
import dev.mover.repository.file.PartialFile;
import dev.mover.repository.link.LinkContext;
import dev.mover.repository.link.LinkRole;
import dev.mover.repository.session.Arrivals.Written;
import dev.mover.repository.slot.TaskSlots;
import dev.mover.transport.frame.Abort;
import dev.mover.transport.frame.BeginDisk;
import dev.mover.transport.frame.Checkpoint;
import dev.mover.transport.frame.Commit;
import dev.mover.transport.frame.Committed;
import dev.mover.transport.frame.Credit;
import dev.mover.transport.frame.EndDisk;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.Need;
import dev.mover.transport.frame.Offer;
import dev.mover.transport.frame.Open;
import dev.mover.transport.frame.Opened;
import dev.mover.transport.frame.Resume;
import dev.mover.transport.frame.Same;
import dev.mover.transport.frame.Zero;
import dev.mover.transport.link.BulkReceiver;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The repository's side of one backup session.
 *
 * <pre>
 * OPEN ─▶ streaming ─COMMIT─▶ committing ─▶ committed
 *             ▲                   │
 *             └───────NEED────────┘            any failure or ABORT: a partial is left
 * </pre>
 *
 * <p>A lost link changes nothing of that ({@link ProxyLink}). What the proxy did not hear it asks
 * for again, and a frame that repeats what is here already is answered from what is here.
 *
 * <p>Everything runs on the session's strand, which those of its links follow; it is moved to the
 * commit threads while it commits. Whatever way it ends, task slots, buffers, pins, scratch and the
 * machine are given back, as soon as no write is under way.
 */
public final class BackupSession {
  private static final Logger LOG = LoggerFactory.getLogger(BackupSession.class);

  private enum State {
    STREAMING,
    COMMIT_ASKED,
    COMMITTING,
    COMMITTED,
    ENDED
  }

  private final Strand strand;
  private final ProxyLink link;
  private final SessionServices services;
  private final Open open;
  private final SessionResources resources;
  private final DiskStreams disks;
  private final KnownBlocks known;
  private final OfferDesk desk;
  private final TargetTimes times = new TargetTimes();
  private final Arrivals arrivals;
  private final Checkpoints checkpoints;
  private final SessionCommit commit;
  private final StoredReplies replies;
  private final Instant since;
  private volatile State state = State.STREAMING;
  private @Nullable Committed committed;
  private final Needs needs;
  private boolean hasReturned;
  private int lentShares;
  private boolean released;
  private Runnable whenReleased = () -> {};

  /**
   * Opens a session and tells the peer.
   *
   * @throws dev.mover.api.error.RepositoryException MACHINE_BUSY, REPOSITORY_FULL and others;
   *     nothing is held then
   */
  BackupSession(LinkContext first, SessionServices services, Open open) {
    checkNames(open);
    this.strand = new Strand(services.threads().sessions());
    this.link =
        new ProxyLink(
            first,
            new Absence(),
            step -> strand.execute(() -> guarded(step)),
            services.away(),
            services.clock());
    this.services = services;
    this.open = open;
    this.since = services.clock().instant();
    this.resources = new SessionResources(services, open, link::isOver);
    PartialFile partial = resources.partial();
    this.known = new KnownBlocks(services.index(), resources.folder().fileId(), services.damaged());
    this.desk = new OfferDesk(known, resources.sources(), resources.keys());
    this.arrivals =
        new Arrivals(
            desk,
            resources.memory(),
            open.blockSize(),
            partial,
            services.threads().writers(),
            services.rates().write(),
            times,
            services.figures(),
            () -> strand.execute(() -> guarded(this::onWritten)),
            this::failLater);
    this.replies = new StoredReplies(link, resources.memory(), services.slots(), arrivals);
    this.checkpoints =
        new Checkpoints(
            partial,
            known,
            services.index(),
            services.checkpointEvery(),
            services.threads().syncs(),
            strand,
            times,
            services.figures(),
            bytes -> guarded(() -> onDurable(bytes)),
            this::failLater);
    this.disks =
        new DiskStreams(
            open,
            resources,
            desk,
            link,
            arrivals,
            times,
            step -> strand.execute(() -> guarded(step)),
            () -> state == State.STREAMING);
    this.needs = new Needs(open.machine(), desk, disks.all());
    this.commit = new SessionCommit(services, resources, known, link);
    try {
      disks.openMaps(services);
    } catch (RuntimeException | Error e) {
      end();
      throw e;
    }
    tellOpened();
    services.machines().show(open.machine(), this);
  }

  private void tellOpened() {
    ParentMap parent = resources.parent();
    link.send(
        new Opened(
            resources.folder().fileId(),
            resources.folder().sequence(),
            parent == null ? 0 : parent.sequence()));
  }

  private static void checkNames(Open open) {
    long names = open.disks().stream().map(DiskSpec::name).distinct().count();
    if (open.disks().isEmpty() || names != open.disks().size()) {
      throw LinkContext.violation("OPEN names no disk, or one twice");
    }
  }

  // ---- its links

  /** Makes {@code first}, on whose strand this is called, the session's. */
  SessionRole begin(LinkContext first) {
    first.strand().moveTo(strand);
    link.begin();
    return new SessionRole(this, first);
  }

  boolean isCalled(UUID sessionId) {
    return open.sessionId().equals(sessionId);
  }

  boolean isSameAs(Open other) {
    return open.equals(other);
  }

  /** The proxy is back on {@code again}, whose strand calls. */
  void resume(LinkContext again, Consumer<LinkRole> assume) {
    assume.accept(new SessionRole(this, again));
    again.strand().moveTo(strand);
    strand.execute(() -> guarded(() -> takeAgain(again)));
  }

  private void takeAgain(LinkContext again) {
    if (again.isOver()) {
      return; // its end was told before it was ours, and is not told again
    }
    if (state == State.COMMITTED || state == State.ENDED) {
      services.ended().tell(again, services, new Resume(open.sessionId(), open.machine()));
    } else {
      link.take(again);
    }
  }

  /**
   * Another session of the machine wants to begin: this one gives way when its link is lost, at
   * once to its own proxy's host, which was restarted, and to others when its slots were lent.
   */
  void giveWayTo(String peer) {
    strand.execute(
        () -> {
          if (givesWayTo(peer)) {
            fail(
                new RepositoryException(
                    ErrorCode.SESSION_LOST,
                    "%s: while the link was lost a newer session of this machine began (from %s); that one makes the next point"
                        .formatted(open.machine(), peer)));
          }
        });
  }

  /** Whether {@link #giveWayTo} would end it; any thread. */
  boolean givesWayTo(String peer) {
    return link.mayBeForgottenFor(peer);
  }

  /** Why no other session of the machine may begin, in words; any thread. */
  String whyBusy() {
    return link.awaySince() == null
        ? "another session of this machine is running; wait for its end"
        : "the session of %s lost its link and is waited for; run again there now, or elsewhere from %s on"
            .formatted(link.peer(), link.lentFrom().truncatedTo(ChronoUnit.SECONDS));
  }

  /** The repository is closed. */
  void shutDown(RepositoryException why) {
    strand.execute(() -> fail(why));
  }

  BulkReceiver receiver() {
    return arrivals;
  }

  void onFrame(LinkContext from, Frame frame) {
    guarded(
        () -> {
          if (link.isCurrent(from)) {
            link.heard();
            onFrame(frame);
          } else if (link.isOurs(from) && frame instanceof Abort given) {
            abort(given);
          } else if (link.isOurs(from)) {
            throw LinkContext.violation(frame.getClass().getSimpleName() + " before OPENED");
          }
        });
  }

  /** A link ended in good order, or failed. */
  void ended(LinkContext by) {
    if (link.isOurs(by)) {
      end();
    }
  }

  void lost(LinkContext by) {
    if (state == State.COMMITTED || state == State.ENDED) {
      ended(by);
    } else {
      link.lost(by);
    }
  }

  void whenReleased(LinkContext by, Runnable then) {
    if (released || !link.isOurs(by)) {
      then.run();
    } else {
      whenReleased = then;
    }
  }

  /** What the coming and going of its link means. */
  private final class Absence implements ProxyLink.Session {
    @Override
    public boolean isQuiet() {
      return arrivals.isSettled() && !checkpoints.isRunning();
    }

    @Override
    public void away() {
      arrivals.pause();
    }

    @Override
    public void lend() {
      if (state == State.STREAMING) {
        lendSlots();
      }
    }

    @Override
    public void giveUp(Duration waited) {
      if (state != State.COMMITTING) {
        fail(
            new RepositoryException(
                ErrorCode.SESSION_LOST,
                "%s: the proxy did not come back within %d s after its link was lost; run the backup again: what was stored durably is not sent twice"
                    .formatted(open.machine(), waited.toSeconds())));
      }
    }

    @Override
    public void back(boolean lent) {
      comeBack(lent);
    }

    @Override
    public boolean isProxysTurn() {
      boolean streams = resources.slots().running() > 0 || disks.areAllEnded();
      return state == State.STREAMING && streams && isQuiet();
    }

    @Override
    public void silent(Duration since) {
      fail(
          new LinkException(
              ErrorCode.DEADLINE_PASSED,
              "%s: the proxy holds a task slot and has sent nothing for %d s; check its disks, then run the backup again: what was stored durably is not sent twice"
                  .formatted(open.machine(), since.toSeconds())));
    }
  }

  /**
   * Credit is state of the link, so it goes back too; but not when all disks are ended: nothing may
   * be sent then before NEED, and NEED waits for the memory.
   */
  private void lendSlots() {
    replies.returnCredit();
    disks.lendSlots();
    if (disks.areAllEnded()) {
      lentShares += resources.memory().suspend();
    } else {
      resources.memory().giveBack();
      arrivals.forgetCredit();
    }
    services.slots().memoryReturned();
  }

  /** What the proxy did not hear it asks for again; only credit it must be told. */
  private void comeBack(boolean lent) {
    hasReturned = true;
    if (state == State.COMMITTED && committed != null) {
      link.send(committed);
      return;
    }
    disks.mayRepeat();
    replies.returnCredit();
    replies.forgetAcks();
    desk.expectAgain();
    tellOpened();
    long creditBytes = arrivals.resume();
    if (creditBytes > 0) {
      link.send(new Credit(creditBytes));
    }
    if (lent) {
      disks.queueAgain();
    }
  }

  // ---- what the proxy says

  private void onFrame(Frame frame) {
    if (state == State.ENDED || (state == State.COMMITTED && !(frame instanceof Commit))) {
      return; // it failed, or repeats what it need not; what the peer sent before it knew
    }
    switch (frame) {
      case BeginDisk f -> disks.begin(disk(f.disk()));
      case Zero f -> DiskStreams.zero(disk(f.disk()), f);
      case Offer f -> disks.offer(disk(f.disk()), f);
      case Same f -> disks.same(disk(f.disk()), f);
      case EndDisk f -> disk(f.disk()).end(f.digest(), f.seal());
      case Commit f -> askCommit(f);
      case Abort f -> abort(f);
      default ->
          throw LinkContext.violation(
              frame.getClass().getSimpleName() + " has no place in a backup session");
    }
  }

  /** The disk of a frame; disks are streamed only before COMMIT, and repeated perhaps later. */
  private DiskStream disk(int index) {
    if (state != State.STREAMING && !hasReturned) {
      throw LinkContext.violation("a frame about disk " + index + " after COMMIT");
    }
    return disks.at(index);
  }

  /** Slots were written: answers the proxy, in batches when several are ready. */
  private void onWritten() {
    List<Written> written = arrivals.takeWritten();
    link.heard();
    if (state == State.ENDED) {
      releaseWhenIdle();
      services.slots().memoryReturned(); // a buffer may have come back after the release
      return;
    }
    for (Written w : written) {
      desk.stored(disks.all(), w.block(), w.slot());
      replies.add(w.block());
    }
    checkpoints.look();
    // An ACK that came before a CHECKPOINT promises durability: none may slip in while one runs.
    if (!checkpoints.isRunning()) {
      replies.sendAcks();
    }
    // Credit need not wait, unless the checkpoint must first make room to remember more slots.
    if (!checkpoints.isRunning() || !known.isFull()) {
      replies.returnCredit();
    }
    link.look();
  }

  private void onDurable(long bytes) {
    if (state == State.ENDED) {
      releaseWhenIdle();
      return;
    }
    link.send(new Checkpoint(bytes, times.figures()));
    replies.sendAcks();
    replies.returnCredit();
    if (state == State.COMMIT_ASKED) {
      startCommit();
    }
    link.look();
  }

  private void askCommit(Commit frame) {
    if (!frame.sessionId().equals(open.sessionId())) {
      throw LinkContext.violation("COMMIT of another session");
    }
    if (state == State.COMMITTED && committed != null) {
      link.send(committed);
      return;
    }
    if (hasReturned && (state == State.COMMIT_ASKED || state == State.COMMITTING)) {
      return; // the answer is on its way
    }
    boolean ended = disks.areAllEnded();
    if (hasReturned && ended && state == State.STREAMING && !desk.isNothingWanted()) {
      state = State.COMMITTING;
      needWithMemory(needs.still(), lentShares);
      return;
    }
    if (state != State.STREAMING || !ended || !desk.isNothingWanted()) {
      throw LinkContext.violation("COMMIT before all disks were ended and all blocks stored");
    }
    state = State.COMMIT_ASKED;
    times.end();
    if (!checkpoints.isRunning()) {
      startCommit();
    }
  }

  /** Lets others have the receive memory meanwhile, and goes on where commits may take minutes. */
  private void startCommit() {
    state = State.COMMITTING;
    int shares = lentShares + resources.memory().suspend();
    services.slots().memoryReturned();
    strand.moveTo(services.threads().commits());
    strand.execute(() -> guarded(() -> runCommit(shares)));
  }

  private void runCommit(int shares) {
    if (state != State.COMMITTING) {
      return;
    }
    long startNs = System.nanoTime();
    switch (commit.run(disks.all(), desk.linkedBytes())) {
      case CommitOutcome.Done done -> {
        services.figures().committed(System.nanoTime() - startNs);
        services.figures().linked(done.footer().linkedBytes());
        Committed answer = commit.publish(done, disks.all(), times.figures());
        committed = answer;
        services.ended().committed(open.sessionId(), answer);
        state = State.COMMITTED;
        release(); // first, so that whoever hears of the commit can begin the next session
        link.send(answer);
        link.waitNoMore();
      }
      case CommitOutcome.Missing missing -> {
        List<Need> asked = needs.ask(missing);
        if (asked.isEmpty()) { // all of them are here already
          strand.execute(() -> guarded(() -> runCommit(shares)));
          return;
        }
        needWithMemory(asked, shares);
      }
    }
    strand.moveTo(services.threads().sessions());
  }

  /**
   * The peer still has its credit, so the memory for it must be there before it is asked. Who is
   * away so long that its memory is for others asks again, and it is taken then.
   */
  private void needWithMemory(List<Need> asked, int shares) {
    if (link.isLent()) {
      lentShares = shares;
      state = State.STREAMING;
      link.look();
      return;
    }
    lentShares = 0;
    resources.slots().resume(shares, () -> strand.execute(() -> guarded(() -> need(asked))));
  }

  private void need(List<Need> asked) {
    if (state == State.COMMITTING) {
      state = State.STREAMING;
      asked.forEach(link::send);
      if (link.isLent()) { // meanwhile
        lendSlots();
      }
      link.look();
    }
  }

  private void abort(Abort frame) {
    LOG.info("{}: session of {} given up: {}", link.peer(), open.machine(), frame.reason());
    end();
    link.close();
  }

  /** Runs a step of the session; its failure is the session's. Strand only. */
  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  /** Told first: a block that arrives after the end is refused, and must not be the reason told. */
  private void fail(Throwable cause) {
    if (state == State.COMMITTED || state == State.ENDED) {
      releaseWhenIdle(); // what failed late, a sync say, may be what the end waited for
      return;
    }
    MoverException error = LinkContext.asMoverException(link.peer(), cause);
    services.ended().failed(open.sessionId(), error); // the link may be lost before it is told
    if (!link.fail(error)) {
      services.figures().failed(error.code());
    }
    end();
  }

  private void failLater(Throwable cause) {
    strand.execute(() -> fail(cause));
  }

  private String streaming(TaskSlots.Session slots) {
    if (link.awaySince() != null) {
      return "away";
    }
    return slots.running() == 0 && slots.queued() > 0 ? "waiting" : "streaming";
  }

  /** How it stands; any thread. */
  SessionStatus status() {
    TaskSlots.Session slots = resources.slots();
    return new SessionStatus(
        open.sessionId(),
        open.machine().value(),
        link.peer(),
        switch (state) {
          case STREAMING -> streaming(slots);
          case COMMIT_ASKED, COMMITTING -> "committing";
          case COMMITTED, ENDED -> "ending";
        },
        open.disks().stream().map(disk -> disk.name().value()).toList(),
        slots.running(),
        slots.queued(),
        resources.partial().storedBytes(),
        since);
  }

  private void end() {
    if (state != State.COMMITTED) {
      state = State.ENDED;
    }
    link.end();
    arrivals.close();
    releaseWhenIdle();
  }

  /**
   * Nothing may be taken away from a write or a sync that is under way; both end by themselves.
   * What was stored until now is worth a last checkpoint: the machine's next session need not send
   * it.
   */
  private void releaseWhenIdle() {
    if (!arrivals.isIdle() || checkpoints.isRunning()) {
      return;
    }
    if (state == State.ENDED) {
      checkpoints.beginLast();
    }
    if (!checkpoints.isRunning()) {
      release();
    }
  }

  private void release() {
    if (released) {
      return;
    }
    released = true;
    boolean useless = state != State.COMMITTED && resources.partial().storedBytes() == 0;
    if (useless) {
      resources.folder().remove(resources.partial().path(), resources.folder().fileId());
    }
    resources.release();
    whenReleased.run();
  }
}
