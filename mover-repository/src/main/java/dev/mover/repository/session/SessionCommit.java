package dev.mover.repository.session;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.RestorePoint;
import dev.mover.dedup.index.BlockPlace;
import dev.mover.repository.commit.CommitOutcome;
import dev.mover.repository.commit.CommitWatch;
import dev.mover.repository.commit.EndedSession;
import dev.mover.repository.commit.PointCommit;
import dev.mover.repository.file.Footer;
import dev.mover.repository.file.MapEntry;
import dev.mover.repository.file.OpenMap;
import dev.mover.repository.file.PointWriter.EndedDisk;
import dev.mover.repository.link.LinkContext;
import dev.mover.transport.frame.CommitProgress;
import dev.mover.transport.frame.Committed;
import dev.mover.transport.frame.TargetFigures;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One session's commit and what follows it: the catalogue, the index, and the partials it makes
 * superfluous. What follows can fail without harm: the point is there. Strand only; blocks.
 */
final class SessionCommit implements CommitWatch {
  private static final Logger LOG = LoggerFactory.getLogger(SessionCommit.class);
  private static final int INDEX_BATCH = 4096;

  /** A proxy gives up after half an hour without a word. */
  private static final long TELL_EVERY_NS = TimeUnit.SECONDS.toNanos(30);

  private final SessionServices services;
  private final SessionResources resources;
  private final KnownBlocks known;
  private final ProxyLink link;
  private int toldPercent = -1;
  private long toldNs = System.nanoTime();
  private String phase = "";

  SessionCommit(
      SessionServices services, SessionResources resources, KnownBlocks known, ProxyLink link) {
    this.services = services;
    this.resources = resources;
    this.known = known;
    this.link = link;
  }

  CommitOutcome run(List<DiskStream> disks, long linkedBytes) {
    PointCommit commit =
        new PointCommit(
            services.files(),
            services.extent().mode(),
            services.damaged(),
            services.metadata(),
            services.rates());
    services.threads().foreground().began();
    try {
      return commit.run(
          new EndedSession(
              resources.partial(),
              resources.folder().point(),
              resources.folder().sequence(),
              now(),
              disks.stream()
                  .map(d -> new EndedDisk(d.spec(), d.finalDigest(), d.seal(), d.map()))
                  .toList(),
              resources.keys().table(),
              resources.sources(),
              resources.folder().scratch(),
              linkedBytes),
          this);
    } finally {
      services.threads().foreground().ended();
    }
  }

  /** Makes the point known and says what the proxy is told. */
  Committed publish(CommitOutcome.Done done, List<DiskStream> disks, TargetFigures figures) {
    List<String> warnings = new ArrayList<>(done.warnings());
    Footer footer = done.footer();
    try {
      services.catalogue().committed(point(footer, disks), resources.folder().point());
    } catch (MoverException e) {
      warnings.add(
          "the point is not listed until the catalogue can be written again: " + e.getMessage());
    }
    try {
      index(disks);
      if (resources.folder().hasOldPartials()) {
        resources.folder().removeOldPartials();
      }
    } catch (MoverException e) {
      LOG.warn("{}", e.getMessage());
    }
    services.afterCommit().accept(footer.machine(), this);
    if (known.hasIndexFailed()) {
      warnings.add("the block index failed, so known blocks were stored again; see the log");
    }
    return new Committed(
        footer.sequence(),
        footer.fileId(),
        footer.fileBytes(),
        footer.newBytes(),
        footer.linkedBytes(),
        done.cloneRuns(),
        done.copiedBytes(),
        figures,
        warnings.stream().map(LinkContext::cut).toList());
  }

  private static RestorePoint point(Footer footer, List<DiskStream> disks) {
    return new RestorePoint(
        footer.machine(),
        footer.sequence(),
        footer.fileId(),
        footer.sessionId(),
        footer.createdAt(),
        footer.blockSize(),
        disks.stream()
            .map(d -> new RestorePoint.Disk(d.spec(), d.finalDigest(), d.seal()))
            .toList(),
        footer.fileBytes(),
        footer.newBytes(),
        Instant.EPOCH,
        footer.domain());
  }

  /**
   * New slots only; but all of this file's when partials are about to go that the index may name.
   */
  private void index(List<DiskStream> disks) {
    services.index().put(known.beginIndexing());
    known.endIndexing();
    if (resources.folder().hasOldPartials()) {
      disks.forEach(disk -> indexAll(disk.map()));
    }
    services.index().sync();
  }

  private void indexAll(OpenMap map) {
    Map<BlockId, BlockPlace> batch = new HashMap<>();
    for (long entry = 0; entry < map.entries(); entry++) {
      if (map.get(entry) instanceof MapEntry.Slot slot && slot.file() == 0) {
        batch.put(
            slot.id(),
            new BlockPlace(
                resources.folder().fileId(), slot.offset(), slot.storedLength(), slot.key()));
      }
      if (batch.size() == INDEX_BATCH) {
        services.index().put(batch);
        batch.clear();
      }
    }
    services.index().put(batch);
    map.park();
  }

  private Instant now() {
    return services.clock().instant();
  }

  @Override
  public void progress(int percent, String phase) {
    this.phase = phase;
    if (percent > toldPercent) {
      toldPercent = percent;
      tell(percent, phase);
    }
  }

  /** Who asks works on the commit: the peer hears that it goes on, however long a step takes. */
  @Override
  public void checkCancelled() {
    link.checkOver();
    if (System.nanoTime() - toldNs > TELL_EVERY_NS) {
      tell(Math.max(0, toldPercent), phase);
    }
  }

  private void tell(int percent, String what) {
    toldNs = System.nanoTime();
    link.send(new CommitProgress(percent, what));
  }

  @Override
  public boolean isCancelled() {
    return link.isOver();
  }
}
