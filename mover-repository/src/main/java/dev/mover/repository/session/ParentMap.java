package dev.mover.repository.session;

import dev.mover.api.block.BlockSize;
import dev.mover.api.block.WrappedKey;
import dev.mover.api.error.DataException;
import dev.mover.api.point.DiskSpec;
import dev.mover.repository.commit.SourceFiles;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.file.BackupFile;
import dev.mover.repository.file.FileRecord;
import dev.mover.repository.file.MapCursor;
import dev.mover.repository.file.MapEntry.Slot;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The machine's newest point, as the first place to look for blocks: most of a disk is where it
 * was. Strand only; blocks.
 */
final class ParentMap implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ParentMap.class);

  private final BackupFile file;
  private final SourceFiles sources;

  ParentMap(BackupFile file, SourceFiles sources) {
    this.file = file;
    this.sources = sources;
    sources.pin(file); // before somebody deletes it
  }

  UUID fileId() {
    return file.footer().fileId();
  }

  long sequence() {
    return file.footer().sequence();
  }

  /** The parent's disk of that name, when its blocks are cut the same way. */
  Optional<ParentDisk> disk(DiskSpec spec, BlockSize blockSize) {
    if (file.footer().blockSize() != blockSize) {
      return Optional.empty();
    }
    OptionalInt found =
        IntStream.range(0, file.disks().size())
            .filter(i -> file.disks().get(i).spec().name().equals(spec.name()))
            .findFirst();
    return found.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new ParentDisk(
                this, file.disks().get(found.getAsInt()).spec(), file.map(found.getAsInt())));
  }

  /** The session's number for the file a parent's slot lies in; −1: can't be linked to. */
  int numberOf(Slot slot) {
    if (slot.file() == 0) {
      return sources.numberOf(file.footer().fileId(), file::path);
    }
    FileRecord record = file.files().get(slot.file() - 1);
    Path folder = Objects.requireNonNull(file.path().getParent(), "a point lies in a folder");
    return sources.numberOf(
        record.fileId(), () -> ExtentLayout.slots(folder, record.sequence(), record.fileId()));
  }

  /** A key of the parent's table. */
  Optional<WrappedKey> key(int number) {
    try {
      return file.keys(number - 1, 1).stream().findFirst();
    } catch (DataException e) {
      LOG.warn("{}", e.getMessage());
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    file.close();
  }

  /** One disk of the parent, read along with the session's. */
  record ParentDisk(ParentMap parent, DiskSpec spec, MapCursor cursor) implements AutoCloseable {
    @Override
    public void close() {
      cursor.close();
    }
  }
}
