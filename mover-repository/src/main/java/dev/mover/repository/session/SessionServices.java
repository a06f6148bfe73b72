package dev.mover.repository.session;

import dev.mover.api.memory.BufferPool;
import dev.mover.dedup.index.BlockIndex;
import dev.mover.repository.catalogue.PointCatalogue;
import dev.mover.repository.damage.DamagedBlocks;
import dev.mover.repository.extent.Extent;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentRates;
import dev.mover.repository.extent.ExtentThreads;
import dev.mover.repository.extent.Room;
import dev.mover.repository.figures.Figures;
import dev.mover.repository.slot.TaskSlots;
import java.time.Clock;
import java.time.Duration;

/** What all sessions of a repository share. */
public record SessionServices(
    Extent extent,
    ExtentFiles files,
    ExtentThreads threads,
    ExtentRates rates,
    BufferPool receive,
    BufferPool metadata,
    BlockIndex index,
    PointCatalogue catalogue,
    DamagedBlocks damaged,
    Room room,
    TaskSlots slots,
    LiveMachines machines,
    EndedSessions ended,
    Figures figures,
    Duration checkpointEvery,
    AwayTimes away,
    Clock clock) {
  /** What a session that dies may have to send again, in time; in bytes it is 1 GiB. */
  public static final Duration CHECKPOINT_EVERY = Duration.ofSeconds(5);
}
