package dev.mover.repository.serve;

import dev.mover.api.memory.BufferPool;
import dev.mover.dedup.codec.BlockCodec;
import dev.mover.repository.catalogue.PointList;
import dev.mover.repository.damage.DamagedBlocks;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.extent.ExtentRates;
import dev.mover.repository.extent.ExtentThreads;
import dev.mover.repository.figures.Figures;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * What all reading links share.
 *
 * @param points a view for one link
 * @param slots memory for slots being read
 * @param scratch folder for sorts that do not fit memory; nothing keeps a name there
 * @param codecs a codec for one thread, which closes it
 * @param deafAfter how long a reader may take nothing, which others wait for
 */
public record ServeServices(
    ExtentLayout layout,
    ExtentFiles files,
    ExtentThreads threads,
    ExtentRates rates,
    Supplier<PointList> points,
    DamagedBlocks damaged,
    BufferPool slots,
    BufferPool metadata,
    Supplier<Path> scratch,
    Supplier<BlockCodec> codecs,
    Figures figures,
    Duration deafAfter,
    Clock clock) {
  /** How long a reader may take nothing of what it asked for. */
  public static final Duration DEAF_AFTER = Duration.ofSeconds(60);
}
