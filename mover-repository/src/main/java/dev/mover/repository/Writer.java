package dev.mover.repository;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.point.Name;
import dev.mover.dedup.index.BlockIndex;
import dev.mover.dedup.index.rocks.RocksStore;
import dev.mover.repository.catalogue.FolderPoints;
import dev.mover.repository.catalogue.IndexFill;
import dev.mover.repository.catalogue.PointCatalogue;
import dev.mover.repository.catalogue.PointList;
import dev.mover.repository.commit.CommitWatch;
import dev.mover.repository.damage.DamagedBlocks;
import dev.mover.repository.extent.Extent;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentRates;
import dev.mover.repository.extent.ExtentThreads;
import dev.mover.repository.extent.Room;
import dev.mover.repository.figures.Figures;
import dev.mover.repository.session.EndedSessions;
import dev.mover.repository.session.LiveMachines;
import dev.mover.repository.session.SessionServices;
import dev.mover.repository.slot.SlotLimits;
import dev.mover.repository.slot.TaskSlots;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What backups need of a repository beyond its files: index and catalogue. They can't be opened
 * while the file system is full; points are listed from the files then, and every backup that is
 * asked for tries again. Thread-safe; opening blocks.
 */
final class Writer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Writer.class);
  private static final Duration TELL_EVERY = Duration.ofSeconds(2);

  private final Extent extent;
  private final RepositoryOptions options;
  private final ExtentFiles files;
  private final ExtentThreads threads;
  private final ExtentRates rates;
  private final BufferPool receive;
  private final BufferPool metadata;
  private final Figures figures;
  private final RepositoryTimes times;
  private final TaskSlots slots;
  private final LiveMachines machines = new LiveMachines();
  private final DamagedBlocks damaged;
  private @Nullable RocksStore store;
  private volatile @Nullable SessionServices services;
  private volatile @Nullable Filling filling;
  private volatile boolean stopping;
  private volatile String warning = "";
  private volatile BiConsumer<Name, CommitWatch> afterCommit = (_, _) -> {};

  /** The filling of an index that lacks blocks, and its end. */
  private record Filling(IndexFill fill, CompletableFuture<Void> end) {}

  Writer(
      Extent extent,
      RepositoryOptions options,
      ExtentFiles files,
      ExtentThreads threads,
      ExtentRates rates,
      BufferPool receive,
      BufferPool metadata,
      Figures figures,
      RepositoryTimes times) {
    this.extent = extent;
    this.options = options;
    this.files = files;
    this.threads = threads;
    this.rates = rates;
    this.receive = receive;
    this.metadata = metadata;
    this.figures = figures;
    this.times = times;
    this.slots = new TaskSlots(new SlotLimits(options.maxConcurrentTasks(), 0));
    this.damaged =
        DamagedBlocks.open(extent.layout().damaged(), this::forget, extent.layout()::fileIds);
  }

  /**
   * Opens index and catalogue where there is room to.
   *
   * @throws RepositoryException INDEX_FAILED and others, but not REPOSITORY_FULL
   */
  void tryOpen() {
    try {
      services();
    } catch (RepositoryException e) {
      if (e.code() != ErrorCode.REPOSITORY_FULL) {
        throw e;
      }
    }
  }

  /**
   * What sessions share.
   *
   * @throws RepositoryException REPOSITORY_FULL while there is no room for index and catalogue
   */
  synchronized SessionServices services() {
    SessionServices open = services;
    if (open == null) {
      open = open();
      services = open;
    }
    return open;
  }

  private SessionServices open() {
    RocksStore opened = null;
    try {
      opened = openStore(extent.layout().index());
      BlockIndex index = opened.index();
      PointCatalogue catalogue =
          new PointCatalogue(opened.catalogue(), index, extent.layout(), files, metadata);
      catalogue.recover();
      fill(catalogue, index);
      opened.whenReopened(() -> threads.syncs().execute(() -> catchUp(catalogue, index)));
      store = opened;
      return new SessionServices(
          extent,
          files,
          threads,
          rates,
          receive,
          metadata,
          index,
          catalogue,
          damaged,
          new Room(extent),
          slots,
          machines,
          new EndedSessions(),
          figures,
          times.checkpointEvery(),
          times.away(),
          times.clock(),
          (machine, watch) -> afterCommit.accept(machine, watch));
    } catch (RuntimeException e) {
      if (opened != null) {
        opened.close();
      }
      throw e;
    }
  }

  /** An index that is damaged costs dedup, not data: it is made anew. */
  private RocksStore openStore(Path folder) {
    try {
      return RocksStore.open(folder, options.indexBytes());
    } catch (RepositoryException e) {
      if (e.code() != ErrorCode.INDEX_DAMAGED) {
        throw e;
      }
      warning = "the index was lost (" + e.getMessage() + "); ";
      RocksStore.destroy(folder);
      return RocksStore.open(folder, options.indexBytes());
    }
  }

  /** Goes on while sessions run: they only find less until it ends. */
  private void fill(PointCatalogue catalogue, BlockIndex index) {
    IndexFill fill = new IndexFill(catalogue, index, files, () -> stopping);
    if (fill.isDue()) {
      Filling begun = new Filling(fill, new CompletableFuture<>());
      filling = begun;
      if (fill.progress().ofMachines() == 0) {
        run(begun);
      } else {
        threads.upkeep().execute(() -> run(begun));
      }
    }
  }

  /** Catalogue and index failed for a while: what was committed meanwhile is made up for. */
  private void catchUp(PointCatalogue catalogue, BlockIndex index) {
    try {
      List<Path> missed = catalogue.catchUp();
      LOG.info("{} points that were committed meanwhile are listed now", missed.size());
      new IndexFill(catalogue, index, files, () -> stopping).add(missed);
    } catch (MoverException e) {
      LOG.warn("what was committed meanwhile is not all known yet: {}", e.getMessage());
    }
  }

  private void run(Filling begun) {
    try {
      begun.fill().run();
      begun.end().complete(null);
    } catch (RuntimeException e) {
      LOG.warn("the index could not be filled from the files: {}", e.getMessage());
      begun.end().completeExceptionally(e);
    } catch (Error e) {
      begun.end().completeExceptionally(e);
      throw e;
    }
  }

  /**
   * Blocks until the index holds the blocks of all files.
   *
   * @param listener told every {@link #TELL_EVERY}
   */
  IndexFill.Progress awaitFill(Consumer<IndexFill.Progress> listener) {
    Filling begun = Objects.requireNonNull(filling, "an index made anew has to be filled");
    while (true) {
      try {
        begun.end().get(TELL_EVERY.toMillis(), TimeUnit.MILLISECONDS);
        return begun.fill().progress();
      } catch (TimeoutException e) {
        listener.accept(begun.fill().progress());
      } catch (ExecutionException e) {
        if (e.getCause() instanceof RuntimeException known) {
          throw known;
        }
        throw new AssertionError(e);
      } catch (InterruptedException e) {
        LOG.debug(
            "an index is filled to its end"); // a kill is the way to stop it, and does no harm
      }
    }
  }

  /** A place of a damaged block in the index is not used anyway: its file is suspect. */
  private void forget(BlockId id) {
    SessionServices open = services;
    if (open == null) {
      return;
    }
    try {
      open.index().remove(List.of(id));
    } catch (RepositoryException e) {
      LOG.warn("a damaged block stays in the index until it works again: {}", e.getMessage());
    }
  }

  /** What runs when a machine has a new point. */
  void afterCommit(BiConsumer<Name, CommitWatch> then) {
    afterCommit = then;
  }

  /** What sessions share, when index and catalogue are open. */
  Optional<SessionServices> openNow() {
    return Optional.ofNullable(services);
  }

  TaskSlots slots() {
    return slots;
  }

  LiveMachines machines() {
    return machines;
  }

  ExtentRates rates() {
    return rates;
  }

  DamagedBlocks damaged() {
    return damaged;
  }

  /** How many points the catalogue lists; 0 while it can't be opened. */
  long points() {
    SessionServices open = services;
    return open == null ? 0 : open.catalogue().count();
  }

  /** The catalogue, or the files while it can't be opened. */
  PointList list() {
    SessionServices open = services;
    return open == null ? new FolderPoints(extent.layout(), files, metadata) : open.catalogue();
  }

  /** What a person should know. */
  Optional<String> warning() {
    if (services == null) {
      return Optional.of(
          "there is no room to open the index; points can be listed, restored and verified, and backups go on when some space is freed");
    }
    Filling begun = filling;
    if (begun == null || (begun.end().isDone() && !begun.end().isCompletedExceptionally())) {
      return Optional.empty();
    }
    return Optional.of(warning + unfilled(begun));
  }

  private static String unfilled(Filling begun) {
    IndexFill.Progress at = begun.fill().progress();
    String what =
        begun.end().isCompletedExceptionally()
            ? "the index could not be filled from the files, and is at the next start"
            : "the index is being filled from the files";
    return what
        + " (%d of %d machines so far); blocks it lacks are stored again"
            .formatted(at.machines(), at.ofMachines());
  }

  /** Lets what nobody waits for end; the threads can be closed then. */
  void stopUpkeep() {
    stopping = true;
  }

  @Override
  public synchronized void close() {
    RocksStore opened = store;
    if (opened != null) {
      opened.close();
    }
  }
}
