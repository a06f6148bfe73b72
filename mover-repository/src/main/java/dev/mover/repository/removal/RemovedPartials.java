package dev.mover.repository.removal;

import dev.mover.api.error.MoverException;
import dev.mover.api.point.Partial;
import dev.mover.repository.extent.ExtentFile;
import dev.mover.repository.removal.RemovalServices.Writing;
import dev.mover.repository.serve.ServeServices;
import dev.mover.repository.session.SessionServices;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Partials whose names are gone, and whose space isn't yet: what is in them can still be looked up.
 * One thread; blocks.
 */
public final class RemovedPartials implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RemovedPartials.class);

  private final ServeServices serving;
  private final Writing writer;
  private final List<Held> held = new ArrayList<>();

  /** What holds the space of one. */
  private record Held(Partial partial, UUID fileId, @Nullable ExtentFile file) {}

  RemovedPartials(ServeServices serving, Writing writer) {
    this.serving = serving;
    this.writer = writer;
  }

  /** Takes {@code file}. */
  void add(Partial partial, UUID fileId, @Nullable ExtentFile file) {
    held.add(new Held(partial, fileId, file));
  }

  public List<Partial> partials() {
    return held.stream().map(Held::partial).toList();
  }

  /**
   * Takes what lies in them out of the index, durably. Nothing relies on it: a place in a file that
   * is gone is a miss. It is left when there is no room for it, as that is what a removal is for.
   *
   * @param cancelled asked between two slots
   */
  public void forget(BooleanSupplier cancelled) {
    for (Held one : held) {
      writer.index().get().ifPresent(index -> forget(index, one, cancelled));
    }
  }

  private void forget(SessionServices index, Held one, BooleanSupplier cancelled) {
    ExtentFile file = one.file();
    FreeSpace space = new FreeSpace(serving.layout().root());
    if (file == null || space.usableBytes() < MachineRemoval.ROOM_BYTES) {
      return;
    }
    try {
      index.catalogue().abandoned(one.fileId());
      IndexTidy tidy = new IndexTidy(index.index(), one.fileId(), cancelled);
      new PartialSlots(file, one.fileId(), index.extent().mode().slotAlignment())
          .each(serving.metadata(), cancelled, tidy::drop);
      tidy.end();
    } catch (MoverException e) {
      LOG.info("{}: the index keeps places in it: {}", one.partial().file(), e.getMessage());
    }
  }

  /** Gives their space back. */
  @Override
  public void close() {
    for (Held one : held) {
      ExtentFile file = one.file();
      if (file != null) {
        file.close();
      }
    }
  }
}
