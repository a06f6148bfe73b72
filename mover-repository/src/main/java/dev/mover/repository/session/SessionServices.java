package dev.mover.repository.session;

import dev.mover.api.memory.BufferPool;
import dev.mover.dedup.index.BlockIndex;
import dev.mover.repository.catalogue.PointCatalogue;
import dev.mover.repository.extent.Extent;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentThreads;
import dev.mover.repository.slot.TaskSlots;
import java.time.Clock;

/**
 * What all sessions of a repository share.
 *
 * @param shareBytes of {@code receive} for each running task
 */
public record SessionServices(
    Extent extent,
    ExtentFiles files,
    ExtentThreads threads,
    BufferPool receive,
    long shareBytes,
    BufferPool metadata,
    BlockIndex index,
    PointCatalogue catalogue,
    TaskSlots slots,
    LiveMachines machines,
    Clock clock) {}
