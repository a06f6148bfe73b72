package dev.mover.repository.session;

import dev.mover.api.memory.BufferPool;
import dev.mover.api.point.Name;
import dev.mover.dedup.index.BlockIndex;
import dev.mover.repository.catalogue.PointCatalogue;
import dev.mover.repository.commit.CommitWatch;
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
import java.util.function.BiConsumer;

/**
 * What all sessions of a repository share.
 *
 * @param afterCommit runs when a machine has a new point, before its proxy is told; throws nothing
 */
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
    Clock clock,
    BiConsumer<Name, CommitWatch> afterCommit) {
  /** What a session that dies may have to send again, in time; in bytes it is 1 GiB. */
  public static final Duration CHECKPOINT_EVERY = Duration.ofSeconds(5);
}
