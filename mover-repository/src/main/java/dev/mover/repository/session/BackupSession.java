package dev.mover.repository.session;

import dev.mover.api.error.DataException;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.Side;
import dev.mover.api.point.DiskSpec;
import dev.mover.repository.commit.CommitOutcome;
import dev.mover.repository.file.OpenMap;
import dev.mover.repository.file.PartialFile;
import dev.mover.repository.link.LinkContext;
import dev.mover.repository.link.LinkRole;
import dev.mover.repository.session.Arrivals.Written;
import dev.mover.repository.slot.TaskSlots;
import dev.mover.transport.frame.Abort;
import dev.mover.transport.frame.Ack;
import dev.mover.transport.frame.Answer;
import dev.mover.transport.frame.BeginDisk;
import dev.mover.transport.frame.Checkpoint;
import dev.mover.transport.frame.Commit;
import dev.mover.transport.frame.Committed;
import dev.mover.transport.frame.EndDisk;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.Granted;
import dev.mover.transport.frame.Need;
import dev.mover.transport.frame.Offer;
import dev.mover.transport.frame.Open;
import dev.mover.transport.frame.Opened;
import dev.mover.transport.frame.Queued;
import dev.mover.transport.frame.Same;
import dev.mover.transport.frame.Zero;
import dev.mover.transport.link.BulkReceiver;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The repository's side of one backup session.
 *
 * <pre>
 * OPEN ─▶ streaming ─COMMIT─▶ committing ─▶ committed
 *             ▲                   │
 *             └───────NEED────────┘            any failure, ABORT or a lost link: a partial is left
 * </pre>
 *
 * <p>Everything runs on the link's strand; the strand is moved to the commit threads while it
 * commits. Whatever way it ends, task slots, buffers, pins, scratch and the machine are given back,
 * as soon as no write is under way.
 */
public final class BackupSession implements LinkRole {
  private static final Logger LOG = LoggerFactory.getLogger(BackupSession.class);

  /** Each asks for thousands of blocks: a machine that lost more is better started anew. */
  private static final int MOST_NEED_ROUNDS = 64;

  private enum State {
    STREAMING,
    COMMIT_ASKED,
    COMMITTING,
    COMMITTED,
    ENDED
  }

  private final LinkContext link;
  private final SessionServices services;
  private final Open open;
  private final SessionResources resources;
  private final List<DiskStream> disks = new ArrayList<>();
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
  private int needRounds;
  private boolean released;
  private Runnable whenReleased = () -> {};

  /**
   * Opens a session and tells the peer.
   *
   * @throws dev.mover.api.error.RepositoryException MACHINE_BUSY, REPOSITORY_FULL and others;
   *     nothing is held then
   */
  BackupSession(LinkContext link, SessionServices services, Open open) {
    checkNames(open);
    this.link = link;
    this.services = services;
    this.open = open;
    this.since = services.clock().instant();
    this.resources = new SessionResources(services, open, link::isOver);
    PartialFile partial = resources.partial();
    this.known = new KnownBlocks(services.index(), resources.folder().fileId(), services.damaged());
    this.desk = new OfferDesk(known, resources.sources());
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
            () -> link.strand().execute(() -> guarded(this::onWritten)),
            this::failLater);
    this.replies = new StoredReplies(link, resources.memory(), services.slots(), arrivals);
    this.checkpoints =
        new Checkpoints(
            partial,
            known,
            services.index(),
            services.checkpointEvery(),
            services.threads().syncs(),
            link.strand(),
            times,
            services.figures(),
            bytes -> guarded(() -> onDurable(bytes)),
            this::failLater);
    this.commit = new SessionCommit(services, resources, known, link);
    try {
      openMaps();
    } catch (RuntimeException | Error e) {
      end();
      throw e;
    }
    services.machines().show(open.machine(), this::status);
    ParentMap parent = resources.parent();
    link.send(
        new Opened(
            resources.folder().fileId(),
            resources.folder().sequence(),
            parent == null ? 0 : parent.sequence()));
  }

  private void openMaps() {
    for (int i = 0; i < open.disks().size(); i++) {
      OpenMap map =
          new OpenMap(resources.folder().scratchFile("disk-" + i + ".map"), services.metadata());
      DiskStream disk = new DiskStream(i, open.disks().get(i), open.blockSize(), map);
      disks.add(disk);
      resources.onRelease(disk::close);
    }
  }

  private static void checkNames(Open open) {
    long names = open.disks().stream().map(DiskSpec::name).distinct().count();
    if (open.disks().isEmpty() || names != open.disks().size()) {
      throw LinkContext.violation("OPEN names no disk, or one twice");
    }
  }

  @Override
  public BulkReceiver receiver() {
    return arrivals;
  }

  @Override
  public void onFrame(Frame frame) {
    if (state == State.ENDED) {
      return; // it failed; what the peer sent before it knew does not matter
    }
    switch (frame) {
      case BeginDisk f -> begin(disk(f.disk()));
      case Zero f -> zero(disk(f.disk()), f);
      case Offer f -> offer(disk(f.disk()), f);
      case Same f -> same(disk(f.disk()), f);
      case EndDisk f -> disk(f.disk()).end(f.digest());
      case Commit f -> askCommit(f);
      case Abort f -> abort(f);
      default ->
          throw LinkContext.violation(
              frame.getClass().getSimpleName() + " has no place in a backup session");
    }
  }

  /** The disk of a frame; disks are streamed only before COMMIT. */
  private DiskStream disk(int index) {
    if (state != State.STREAMING) {
      throw LinkContext.violation("a frame about disk " + index + " after COMMIT");
    }
    if (index < 0 || index >= disks.size()) {
      throw LinkContext.violation("there is no disk " + index);
    }
    return disks.get(index);
  }

  private void begin(DiskStream disk) {
    TaskSlots.Waiter waiter =
        new TaskSlots.Waiter() {
          @Override
          public void moved() {
            link.strand().execute(() -> guarded(() -> tellPlace(disk)));
          }

          @Override
          public void granted(long creditBytes) {
            link.strand().execute(() -> guarded(() -> onGranted(disk, creditBytes)));
          }
        };
    disk.queue(() -> resources.slots().request(waiter));
  }

  private void tellPlace(DiskStream disk) {
    TaskSlots.Place place = disk.place();
    if (state == State.STREAMING && place != null) {
      link.send(new Queued(disk.index(), place.position(), LinkContext.cut(place.reason())));
    }
  }

  private void onGranted(DiskStream disk, long creditBytes) {
    if (state != State.STREAMING) {
      return; // the slot went back when the session ended
    }
    ParentMap parent = resources.parent();
    disk.begin(parent == null ? null : parent.disk(disk.spec(), open.blockSize()).orElse(null));
    times.begin();
    arrivals.grant(creditBytes);
    link.send(new Granted(disk.index(), creditBytes));
  }

  private static void zero(DiskStream disk, Zero frame) {
    disk.expect(frame.firstBlock(), frame.count());
    disk.addZeros(frame.count());
  }

  private void offer(DiskStream disk, Offer frame) {
    disk.expect(frame.firstBlock(), frame.ids().size());
    BitSet wanted = desk.take(disk, frame);
    link.send(new Answer(disk.index(), frame.firstBlock(), frame.ids().size(), wanted));
  }

  private void same(DiskStream disk, Same frame) {
    disk.expect(frame.firstBlock(), frame.count());
    desk.take(disk, frame, link);
  }

  /** Slots were written: answers the proxy, in batches when several are ready. */
  private void onWritten() {
    List<Written> written = arrivals.takeWritten();
    if (state == State.ENDED) {
      releaseWhenIdle();
      services.slots().memoryReturned(); // a buffer may have come back after the release
      return;
    }
    for (Written w : written) {
      desk.stored(disks, w.block(), w.slot());
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
  }

  private void askCommit(Commit frame) {
    if (!frame.sessionId().equals(open.sessionId())) {
      throw LinkContext.violation("COMMIT of another session");
    }
    if (state == State.COMMITTED && committed != null) {
      link.send(committed);
      return;
    }
    boolean ended = disks.stream().allMatch(DiskStream::isEnded) && desk.isNothingWanted();
    if (state != State.STREAMING || !ended) {
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
    int shares = resources.memory().suspend();
    services.slots().memoryReturned();
    link.strand().moveTo(services.threads().commits());
    link.strand().execute(() -> guarded(() -> runCommit(shares)));
  }

  private void runCommit(int shares) {
    if (state != State.COMMITTING) {
      return;
    }
    long startNs = System.nanoTime();
    switch (commit.run(disks, desk.linkedBytes())) {
      case CommitOutcome.Done done -> {
        services.figures().committed(System.nanoTime() - startNs);
        services.figures().linked(done.footer().linkedBytes());
        Committed answer = commit.publish(done, disks, times.figures());
        committed = answer;
        state = State.COMMITTED;
        release(); // first, so that whoever hears of the commit can begin the next session
        link.send(answer);
      }
      case CommitOutcome.Missing missing -> {
        List<Need> needs = askAgain(missing);
        if (needs.isEmpty()) { // all of them are here already
          link.strand().execute(() -> guarded(() -> runCommit(shares)));
          return;
        }
        // The peer still has its credit, so the memory for it must be there before it is asked.
        resources
            .slots()
            .resume(shares, () -> link.strand().execute(() -> guarded(() -> need(needs))));
      }
    }
    link.strand().moveTo(services.threads().sessions());
  }

  private void need(List<Need> needs) {
    if (state == State.COMMITTING) {
      state = State.STREAMING;
      needs.forEach(link::send);
    }
  }

  /** Wants what is missing; what the proxy is to be told, the last of it marked so. */
  private List<Need> askAgain(CommitOutcome.Missing missing) {
    if (++needRounds > MOST_NEED_ROUNDS) {
      throw new DataException(
          ErrorCode.BLOCK_DAMAGED,
          Side.REPOSITORY,
          "%s: more than %d blocks it was linked to are damaged; check the extent's disks, verify --data, and run the backup again, which takes up where this one ended"
              .formatted(open.machine(), MOST_NEED_ROUNDS * (long) missing.blocks().size()));
    }
    Map<Integer, List<Long>> asked = new TreeMap<>();
    for (CommitOutcome.Missing.Block b : missing.blocks()) {
      if (desk.wantAgain(disks.get(b.disk()), b.block(), b.entry(), b.id())) {
        asked.computeIfAbsent(b.disk(), _ -> new ArrayList<>()).add(b.block());
      }
    }
    List<Need> needs = new ArrayList<>();
    asked.forEach(
        (disk, blocks) -> {
          for (int from = 0; from < blocks.size(); from += Ack.MAX_BLOCKS) {
            int to = Math.min(from + Ack.MAX_BLOCKS, blocks.size());
            needs.add(new Need(disk, blocks.subList(from, to), false));
          }
        });
    if (!needs.isEmpty()) {
      Need last = needs.removeLast();
      needs.add(new Need(last.disk(), last.blocks(), true));
    }
    return needs;
  }

  private void abort(Abort frame) {
    LOG.info("{}: session of {} given up: {}", link.peer(), open.machine(), frame.reason());
    end();
    link.link().close();
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
    link.fail(cause);
    end();
  }

  private void failLater(Throwable cause) {
    link.strand().execute(() -> fail(cause));
  }

  /** How it stands; any thread. */
  private SessionStatus status() {
    TaskSlots.Session slots = resources.slots();
    return new SessionStatus(
        open.sessionId(),
        open.machine().value(),
        link.peer(),
        switch (state) {
          case STREAMING -> slots.running() == 0 && slots.queued() > 0 ? "waiting" : "streaming";
          case COMMIT_ASKED, COMMITTING -> "committing";
          case COMMITTED, ENDED -> "ending";
        },
        open.disks().stream().map(disk -> disk.name().value()).toList(),
        slots.running(),
        slots.queued(),
        resources.partial().storedBytes(),
        since);
  }

  @Override
  public void end() {
    if (state != State.COMMITTED) {
      state = State.ENDED;
    }
    arrivals.close();
    releaseWhenIdle();
  }

  /** Nothing may be taken away from a write or a sync that is under way; both end by themselves. */
  private void releaseWhenIdle() {
    if (arrivals.isIdle() && !checkpoints.isRunning()) {
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

  @Override
  public void whenReleased(Runnable then) {
    if (released) {
      then.run();
    } else {
      whenReleased = then;
    }
  }
}
