package dev.mover.repository;

import dev.mover.api.error.RepositoryException;
import dev.mover.api.point.Name;
import dev.mover.api.point.Partial;
import dev.mover.api.point.RestorePoint;
import dev.mover.dedup.codec.zstd.ZstdBlockCodec;
import dev.mover.dedup.index.rocks.RocksStore;
import dev.mover.repository.catalogue.FolderPoints;
import dev.mover.repository.catalogue.IndexFill;
import dev.mover.repository.catalogue.PointList;
import dev.mover.repository.damage.DamagedBlocks;
import dev.mover.repository.extent.Extent;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentRates;
import dev.mover.repository.extent.ExtentThreads;
import dev.mover.repository.extent.LinuxExtentFiles;
import dev.mover.repository.figures.Figures;
import dev.mover.repository.removal.KnownPartials;
import dev.mover.repository.removal.PartialAge;
import dev.mover.repository.removal.RemovalServices;
import dev.mover.repository.removal.RemovalServices.Writing;
import dev.mover.repository.removal.RemovedPartials;
import dev.mover.repository.removal.StandingRetention;
import dev.mover.repository.removal.UnfinishedRemovals;
import dev.mover.repository.retention.RetentionRules;
import dev.mover.repository.serve.Healing;
import dev.mover.repository.serve.Scrub;
import dev.mover.repository.serve.ServeServices;
import dev.mover.repository.session.SessionStatus;
import dev.mover.repository.slot.SlotLimits;
import dev.mover.transport.link.LinkServer;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory of backup files, open. Put a transport before {@link #links} and proxies can back up
 * to it, list, restore and verify. Thread-safe; opening and closing block.
 */
public final class Repository implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Repository.class);

  private final Supplier<PointList> points;
  private final Extent extent;
  private final ExtentThreads threads;
  private final RepositoryMemory memory;
  private final RepositoryLinks links;
  private final @Nullable Writer writer;
  private final Figures figures;
  private final Scrub scrub;
  private final StandingRetention retention;
  private final DamagedBlocks damaged;
  private final KnownPartials partials;
  private final PartialAge partialAge;
  private RepositoryLimits limits;
  private volatile boolean closing;

  private Repository(
      Extent extent,
      ExtentThreads threads,
      RepositoryMemory memory,
      ServeServices serving,
      @Nullable Writer writer,
      RepositoryLimits limits) {
    this.points = serving.points();
    this.extent = extent;
    this.threads = threads;
    this.memory = memory;
    this.writer = writer;
    this.limits = limits;
    this.figures = serving.figures();
    this.scrub = new Scrub(serving);
    this.damaged = serving.damaged();
    RemovalServices removal =
        new RemovalServices(
            serving,
            extent.mode(),
            ZoneId.systemDefault(),
            writer == null ? null : new Writing(writer.machines(), writer::openNow));
    this.retention = new StandingRetention(removal, () -> closing);
    if (writer != null) {
      Healing healing = new Healing(serving, extent.mode().clones());
      writer.afterCommit(
          (machine, watch) -> {
            healing.committed(machine, watch);
            retention.committed(machine);
          });
      writer.machines().afterLeave(retention::left);
    }
    this.partials = new KnownPartials(removal);
    this.partialAge = new PartialAge(partials, threads.upkeep(), () -> closing, serving.clock());
    this.links =
        new RepositoryLinks(
            extent,
            threads,
            new LinkRoles(threads, serving, removal, partials, writer),
            serving.figures());
    warnings().forEach(LOG::warn);
    if (writer != null && !extent.mode().clones()) {
      threads.removals().execute(new UnfinishedRemovals(removal, () -> closing)::finish);
    }
  }

  /**
   * Opens as the one writer; creates the repository when the directory is missing or empty.
   *
   * @throws RepositoryException NOT_A_REPOSITORY, REPOSITORY_TOO_NEW, REPOSITORY_BUSY,
   *     REPOSITORY_WRITE_FAILED, REPOSITORY_FULL, INDEX_FAILED; nothing stays open
   */
  public static Repository open(Path directory, RepositoryOptions options) {
    return open(directory, options, UnaryOperator.identity(), RepositoryTimes.DEFAULT);
  }

  /**
   * Makes index and catalogue anew from the backup files, as the one writer. Blocks until it is
   * done; points can be read meanwhile. A kill does no harm: who opens it next goes on.
   *
   * @param listener told now and then how far it is
   * @throws RepositoryException as {@link #open}; NOT_A_REPOSITORY also when there is nothing yet
   */
  public static IndexFill.Progress rebuildIndex(
      Path directory, Consumer<IndexFill.Progress> listener) {
    openReadOnly(directory).close(); // or it would be created
    forgetIndex(absolute(directory));
    try (Repository repository = open(directory, RepositoryOptions.DEFAULT)) {
      Writer writer = Objects.requireNonNull(repository.writer, "opened as the writer");
      writer.services(); // says so when there is no room
      return writer.awaitFill(listener);
    }
  }

  private static void forgetIndex(Path directory) {
    RepositoryMemory memory = RepositoryMemory.of(RepositoryOptions.DEFAULT);
    try (Extent extent =
        Extent.open(directory, memory.metadata(), RepositoryTimes.DEFAULT.clock())) {
      RocksStore.destroy(extent.layout().index());
    } finally {
      memory.close();
    }
  }

  /**
   * As {@link #open(Path, RepositoryOptions)}.
   *
   * @param layer put between the repository and its files, to record or fail what it does
   */
  static Repository open(
      Path directory,
      RepositoryOptions options,
      UnaryOperator<ExtentFiles> layer,
      RepositoryTimes times) {
    RepositoryMemory memory = RepositoryMemory.of(options);
    Extent extent = null;
    Writer writer = null;
    try {
      extent = Extent.open(absolute(directory), memory.metadata(), times.clock());
      ExtentFiles files = layer.apply(new LinuxExtentFiles(extent.direct()));
      ExtentThreads threads = new ExtentThreads();
      ExtentRates rates = ExtentRates.none();
      Figures figures = new Figures();
      writer =
          new Writer(
              extent,
              options,
              files,
              threads,
              rates,
              memory.receive(),
              memory.metadata(),
              figures,
              times);
      writer.tryOpen();
      ServeServices serving =
          new ServeServices(
              extent.layout(),
              files,
              threads,
              rates,
              writer::list,
              writer.damaged(),
              memory.serve(),
              memory.metadata(),
              extent::scratch,
              ZstdBlockCodec::new,
              figures,
              times.deafAfter(),
              times.clock());
      return new Repository(
          extent,
          threads,
          memory,
          serving,
          writer,
          RepositoryLimits.ofTasks(options.maxConcurrentTasks()));
    } catch (RuntimeException e) {
      if (writer != null) {
        writer.close();
      }
      if (extent != null) {
        extent.close();
      }
      memory.close();
      throw e;
    }
  }

  /**
   * Opens for listing, restore and verification only: without database, lock, or any write in the
   * directory but of damage that is found, so beside a running daemon or on a read-only copy.
   *
   * @throws RepositoryException NOT_A_REPOSITORY, REPOSITORY_TOO_NEW
   */
  public static Repository openReadOnly(Path directory) {
    RepositoryMemory memory = RepositoryMemory.of(RepositoryOptions.DEFAULT);
    Extent extent = Extent.openReadOnly(absolute(directory));
    ExtentFiles files = new LinuxExtentFiles(extent.direct());
    ExtentThreads threads = new ExtentThreads();
    ServeServices serving =
        new ServeServices(
            extent.layout(),
            files,
            threads,
            ExtentRates.none(),
            () -> new FolderPoints(extent.layout(), files, memory.metadata()),
            DamagedBlocks.besideWriter(extent.layout().damaged()),
            memory.serve(),
            memory.metadata(),
            Extent::temporary,
            ZstdBlockCodec::new,
            new Figures(),
            RepositoryTimes.DEFAULT.deafAfter(),
            RepositoryTimes.DEFAULT.clock());
    return new Repository(extent, threads, memory, serving, null, RepositoryLimits.ofTasks(1));
  }

  private static Path absolute(Path directory) {
    return directory.toAbsolutePath().normalize();
  }

  /** What a transport serves. */
  public LinkServer links() {
    return links;
  }

  /** How it stands now; reads file system counters, so it may block. */
  public RepositoryStatus status() {
    Writer open = writer;
    ExtentStatus room = extents().getFirst();
    return new RepositoryStatus(
        room.directory(),
        extent.repositoryId(),
        room.mode(),
        room.capacityBytes(),
        room.freeBytes(),
        limits().maxConcurrentTasks(),
        open == null ? 0 : open.slots().running(),
        open == null ? 0 : open.slots().queued(),
        open == null ? 0 : open.slots().mostEver(),
        open == null ? 0 : open.machines().count(),
        open == null ? 0 : open.points(),
        warnings());
  }

  private List<String> warnings() {
    Stream<String> ofWriter = writer == null ? Stream.empty() : writer.warning().stream();
    return Stream.concat(extent.warning().stream(), ofWriter).toList();
  }

  /** Every extent, of which there is one; reads file system counters, so it may block. */
  public List<ExtentStatus> extents() {
    try {
      FileStore file = extent.fileStore();
      return List.of(
          new ExtentStatus(
              extent.layout().root(),
              extent.mode().label(),
              file.getTotalSpace(),
              file.getUsableSpace()));
    } catch (IOException e) {
      throw ExtentError.reading(extent.layout().root().toString(), e);
    }
  }

  /** Backup sessions that are open, the oldest first. */
  public List<SessionStatus> sessions() {
    Writer open = writer;
    return open == null ? List.of() : open.machines().sessions();
  }

  /**
   * Restore points by machine (as UTF-8 bytes) and sequence, from the catalogue. Blocks.
   *
   * @param machine only this one's; empty: all
   * @param afterMachine with {@code afterSequence} the last point seen; empty: from the start
   */
  public List<RestorePoint> points(
      String machine, String afterMachine, long afterSequence, int limit) {
    return points.get().after(machine, afterMachine, afterSequence, limit);
  }

  /** What it has done since it was opened. */
  public Figures figures() {
    return figures;
  }

  /** The pools of native memory. */
  public List<MemoryStatus> memory() {
    return memory.status();
  }

  /** The limits in force. */
  public synchronized RepositoryLimits limits() {
    return limits;
  }

  /**
   * Puts other limits in force at once. Tasks that run beyond a lower limit go on to their end;
   * those a higher one allows begin before this returns.
   */
  public synchronized void limit(RepositoryLimits now) {
    limits = now;
    Writer open = writer;
    if (open != null) {
      open.rates().write().set(now.writeBytesPerSec());
      open.rates().read().set(now.readBytesPerSec());
      open.slots().limit(new SlotLimits(now.maxConcurrentTasks(), now.extentMaxConcurrentTasks()));
    }
  }

  /**
   * Deletes from now on what these rules don't keep of a machine, when it has a new point, and once
   * of every machine. Only where the repository is written.
   */
  public void keep(RetentionRules rules) {
    retention.keep(rules);
  }

  /** Looks for rot in the background, once it has a plan; only where the repository is written. */
  public Scrub scrub() {
    return scrub;
  }

  /** What sessions that have not committed left. */
  public KnownPartials partials() {
    return partials;
  }

  /**
   * Removes partials that are too old, once it has a limit; only where the repository is written.
   */
  public PartialAge partialAge() {
    return partialAge;
  }

  /**
   * Removes the partials of a machine. They are gone when this returns; their space comes back a
   * moment later, when the index has forgotten them.
   *
   * @throws RepositoryException MACHINE_BUSY while a session of the machine is open, and others
   */
  public List<Partial> removePartials(Name machine, String peer) {
    RemovedPartials removed =
        partials.remove(machine, _ -> true, Integer.MAX_VALUE, "asked for by " + peer);
    threads
        .removals()
        .execute(
            () -> {
              try (removed) {
                removed.forget(() -> closing);
              }
            });
    return removed.partials();
  }

  /** Whether anything runs that a scrub gives way to. */
  boolean hasForeground() {
    return threads.foreground().isBusy();
  }

  /** How many blocks are known to be damaged. */
  public int damagedBlocks() {
    return damaged.count();
  }

  /** Bytes of buffers in somebody's hands; 0 when all links are closed. */
  long leasedBytes() {
    return memory.leasedBytes();
  }

  /**
   * Lets nobody new in (SHUTTING_DOWN) and waits until what is under way has ended: the first half
   * of a stop in good order, before {@link #close}.
   *
   * @return false when something was still under way at the deadline
   */
  public boolean drain(Duration deadline) {
    return links.drain(deadline);
  }

  /**
   * Ends every link with SHUTTING_DOWN, waits until what is under way has come to a safe place, and
   * closes. Sessions that did not commit leave partials.
   */
  @Override
  public void close() {
    closing = true;
    links.close();
    if (writer != null) {
      writer.stopUpkeep();
      if (!writer.machines().endAll(links.shuttingDown(), RepositoryLinks.CLOSE_WITHIN)) {
        LOG.error("sessions did not end within {}", RepositoryLinks.CLOSE_WITHIN);
      }
    }
    scrub.close();
    partialAge.close();
    threads.close();
    damaged.sync(); // what a full disk did not take may find room now
    if (writer != null) {
      writer.close();
    }
    extent.close();
    if (leasedBytes() != 0) {
      LOG.error("{} bytes of buffers were never given back", leasedBytes());
    }
    memory.close();
  }
}
