package dev.mover.repository.catalogue;

import dev.mover.api.error.DataException;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.point.Name;
import dev.mover.api.point.RestorePoint;
import dev.mover.dedup.index.BlockIndex;
import dev.mover.dedup.index.Catalogue;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.file.BackupFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The catalogue of a repository that is open for writing. Records:
 *
 * <pre>
 * complete                    everything on disk was catalogued once
 * p/MACHINE NUL SEQUENCE      a restore point ({@link PointRecord})
 * f/FILEID                    FOLDER/FILENAME below machines/
 * s/SESSIONID                 key of the point it made
 * c/FILEID                    i64 when every block was last checked (ms)
 * o/FILEID                    FOLDER of a session that began: look there again after a crash
 * indexed                     the last FOLDER whose blocks are in the index, or / for all ({@link IndexFill})
 * </pre>
 *
 * <p>Thread-safe; all methods block. Failures are INDEX_FAILED and cost listings, never data.
 */
public final class PointCatalogue implements PointList {
  private static final Logger LOG = LoggerFactory.getLogger(PointCatalogue.class);
  private static final String COMPLETE = "complete";
  private static final String INDEXED = "indexed";

  /** Comes after every folder: no name holds it. */
  private static final String ALL = "/";

  private static final int BATCH = 512;
  private static final int CHECK_BYTES = Long.BYTES;

  private final Catalogue catalogue;
  private final BlockIndex store;
  private final ExtentLayout layout;
  private final ExtentFiles files;
  private final BufferPool pool;
  private final AtomicLong points = new AtomicLong();

  /**
   * @param store syncs the catalogue too: both are one database
   */
  public PointCatalogue(
      Catalogue catalogue,
      BlockIndex store,
      ExtentLayout layout,
      ExtentFiles files,
      BufferPool pool) {
    this.catalogue = catalogue;
    this.store = store;
    this.layout = layout;
    this.files = files;
    this.pool = pool;
  }

  /** Brings the catalogue in line with the files: all of them once, later only where it matters. */
  public void recover() {
    if (catalogue.get(COMPLETE).isEmpty()) {
      for (Path folder : folders()) {
        scan(folder);
      }
      catalogue.put(COMPLETE, new byte[] {1});
    }
    each(
        "o/",
        open -> {
          scan(layout.machines().resolve(text(open.value())));
          catalogue.remove(open.key());
        });
    scanUnlisted();
    store.sync();
  }

  /**
   * A catalogue that is older than its files, as when only its folder came out of a backup, lacks
   * points, and the index their blocks: folders tell by how many there are.
   */
  private void scanUnlisted() {
    Map<String, Integer> listed = new HashMap<>();
    each(
        "p/",
        p ->
            PointRecord.read(p.value())
                .flatMap(this::file)
                .ifPresent(file -> listed.merge(folderName(file), 1, Integer::sum)));
    long there = 0;
    for (Path folder : folders()) {
      int files = committedIn(folder).size();
      there += files;
      if (files > listed.getOrDefault(folder.getFileName().toString(), 0)) {
        LOG.warn("{}: has points that were not listed; their blocks are indexed again", folder);
        scan(folder);
        catalogue.remove(INDEXED);
      }
    }
    points.set(there);
  }

  /** Whether the index holds the blocks of every committed file. */
  boolean isAllIndexed() {
    return lastIndexed().equals(ALL);
  }

  /** Machines' folders whose blocks the index may lack, by name. */
  List<Path> unindexed() {
    String last = lastIndexed();
    return folders().stream()
        .filter(folder -> folder.getFileName().toString().compareTo(last) > 0)
        .toList();
  }

  private String lastIndexed() {
    return catalogue.get(INDEXED).map(PointCatalogue::text).orElse("");
  }

  /** The blocks of {@code folder}, and of all before it, are in the index. */
  void indexed(Path folder) {
    catalogue.put(INDEXED, utf8(folder.getFileName().toString()));
    store.sync();
  }

  /** All there was is in the index; what is new goes into it by itself. */
  void allIndexed() {
    catalogue.put(INDEXED, utf8(ALL));
    store.sync();
  }

  /** A session began to write {@code partial}; durable when this returns. */
  public void began(UUID fileId, Path partial) {
    catalogue.put("o/" + fileId, utf8(folderName(partial)));
    catalogue.put("f/" + fileId, utf8(relative(partial)));
    store.sync();
  }

  /** A session's file was removed again. */
  public void abandoned(UUID fileId) {
    catalogue.remove("f/" + fileId);
    catalogue.remove("o/" + fileId);
  }

  /** {@code file} is committed and named. */
  public void committed(RestorePoint point, Path file) {
    list(point, file);
    catalogue.remove("o/" + point.fileId());
  }

  private synchronized void list(RestorePoint point, Path file) {
    String key = key(point.machine().value(), point.sequence());
    boolean isNew = catalogue.get(key).isEmpty();
    put(point, file);
    if (isNew) {
      points.incrementAndGet();
    }
  }

  /**
   * Lists points that were committed while the catalogue took no writes.
   *
   * @return their files, whose blocks the index may lack
   */
  public List<Path> catchUp() {
    List<Path> found = new ArrayList<>();
    each(
        "o/",
        open -> {
          Path folder = layout.machines().resolve(text(open.value()));
          String fileId = open.key().substring("o/".length());
          committedIn(folder).stream()
              .filter(file -> fileIdOf(file).toString().equals(fileId))
              .forEach(
                  file -> {
                    list(describe(files, pool, ExtentLayout.machineOf(folder), file), file);
                    catalogue.remove(open.key());
                    found.add(file);
                  });
        });
    store.sync();
    return found;
  }

  private static UUID fileIdOf(Path file) {
    return ExtentLayout.parse(file).orElseThrow().fileId();
  }

  /** The file of a point is no longer one; what is listed was right without this too. */
  public void deleted(Name machine, long sequence, UUID fileId) {
    String key = key(machine.value(), sequence);
    Optional<RestorePoint> listed =
        catalogue
            .get(key)
            .flatMap(PointRecord::read)
            .filter(point -> point.fileId().equals(fileId));
    listed.ifPresent(
        point -> {
          catalogue.remove(key);
          catalogue.remove("s/" + point.sessionId());
          points.decrementAndGet();
        });
    catalogue.remove("f/" + fileId);
    catalogue.remove("c/" + fileId);
  }

  /** Where a file was last seen; it may be gone or renamed since. */
  public Optional<Path> find(UUID fileId) {
    return catalogue.get("f/" + fileId).map(path -> layout.machines().resolve(text(path)));
  }

  /** A point as it is listed. */
  public Optional<RestorePoint> point(Name machine, long sequence) {
    return catalogue.get(key(machine.value(), sequence)).flatMap(PointRecord::read);
  }

  /** The point a session committed. */
  public Optional<RestorePoint> bySession(UUID sessionId) {
    return catalogue
        .get("s/" + sessionId)
        .flatMap(key -> catalogue.get(text(key)))
        .flatMap(PointRecord::read);
  }

  /** How many points are listed. */
  public long count() {
    return points.get();
  }

  @Override
  public List<RestorePoint> after(
      String machine, String afterMachine, long afterSequence, int limit) {
    String prefix = machine.isEmpty() ? "p/" : "p/" + machine + "\0";
    String after = afterMachine.isEmpty() ? "" : key(afterMachine, afterSequence);
    List<RestorePoint> found = new ArrayList<>();
    while (found.size() < limit) {
      List<Catalogue.Entry> batch = catalogue.list(prefix, after, limit - found.size());
      if (batch.isEmpty()) {
        break;
      }
      batch.forEach(
          entry ->
              PointRecord.read(entry.value())
                  .filter(this::isThere)
                  .map(p -> lastCheck(p.fileId()).map(p::checkedAt).orElse(p))
                  .ifPresent(found::add));
      after = batch.getLast().key();
    }
    return found;
  }

  /** Deleting a point is deleting its file, and nobody need tell us. */
  private boolean isThere(RestorePoint point) {
    return file(point).isPresent();
  }

  private Optional<Path> file(RestorePoint point) {
    return find(point.fileId()).filter(Files::exists);
  }

  @Override
  public List<Path> files(String machine) {
    return committedIn(layout.machine(new Name(machine)));
  }

  /** Lists a point that was found damaged as that, and one that was made good or healed. */
  @Override
  public void looked(String machine, Path file) {
    if (!Files.exists(file)) {
      return; // deleted
    }
    try {
      RestorePoint now = describe(files, pool, new Name(machine), file);
      Optional<RestorePoint> listed =
          catalogue
              .get(key(now.machine().value(), now.sequence()))
              .flatMap(PointRecord::read)
              .filter(point -> point.fileId().equals(now.fileId()));
      if (!listed.equals(Optional.of(now))) {
        put(now, file);
      }
    } catch (MoverException e) {
      LOG.warn("{}: the list may not tell how it is: {}", file, e.getMessage());
    }
  }

  @Override
  public boolean remembersChecks() {
    return true;
  }

  @Override
  public void checked(Path file, Instant at) {
    try {
      ByteBuffer value = ByteBuffer.allocate(CHECK_BYTES);
      value.putLong(at.toEpochMilli());
      catalogue.put(checkKey(file), value.array());
    } catch (RepositoryException e) {
      LOG.warn("{}: is checked again, because nobody knows it was: {}", file, e.getMessage());
    }
  }

  private Optional<Instant> lastCheck(UUID fileId) {
    return catalogue
        .get("c/" + fileId)
        .filter(value -> value.length == CHECK_BYTES)
        .map(value -> Instant.ofEpochMilli(ByteBuffer.wrap(value).getLong()));
  }

  private static String checkKey(Path file) {
    return "c/" + fileIdOf(file);
  }

  @Override
  public List<String> machines() {
    List<String> machines = new ArrayList<>();
    String after = "";
    while (true) {
      List<RestorePoint> next = after("", after, Long.MAX_VALUE, 1);
      if (next.isEmpty()) {
        return machines;
      }
      after = next.getFirst().machine().value();
      machines.add(after);
    }
  }

  static List<Path> committedIn(Path folder) {
    try {
      return ExtentLayout.files(folder).stream()
          .filter(ExtentLayout.Found::committed)
          .map(ExtentLayout.Found::path)
          .toList();
    } catch (IOException e) {
      throw ExtentError.reading(folder.toString(), e);
    }
  }

  private void put(RestorePoint point, Path file) {
    String key = key(point.machine().value(), point.sequence());
    catalogue.put(key, PointRecord.write(point));
    catalogue.put("f/" + point.fileId(), utf8(relative(file)));
    if (point.isReadable()) {
      catalogue.put("s/" + point.sessionId(), utf8(key));
    }
  }

  /** Catalogues what a machine's folder holds, and that a file can't be read. */
  private void scan(Path folder) {
    try {
      Name machine = ExtentLayout.machineOf(folder);
      for (ExtentLayout.Found found : ExtentLayout.files(folder)) {
        if (found.committed()) {
          RestorePoint point = describe(files, pool, machine, found.path());
          machine = point.machine(); // in full, for those after it that can't be read
          put(point, found.path());
        } else if (found.partial()) {
          catalogue.put("f/" + found.fileId(), utf8(relative(found.path())));
        }
      }
    } catch (IOException e) {
      throw ExtentError.reading(folder.toString(), e);
    }
  }

  /**
   * What a committed file says of itself, or that it can't be read.
   *
   * @param machine whose it is by its folder
   */
  static RestorePoint describe(ExtentFiles files, BufferPool pool, Name machine, Path path) {
    try (BackupFile file = BackupFile.open(files, path, pool)) {
      return file.point();
    } catch (DataException | RepositoryException e) { // want of memory says nothing of the file
      LOG.warn("{}: can't be read: {}", path, e.getMessage());
      ExtentLayout.Found found = ExtentLayout.parse(path).orElseThrow();
      return RestorePoint.unreadable(machine, found.sequence(), found.fileId(), length(path));
    }
  }

  private static long length(Path path) {
    try {
      return Files.size(path);
    } catch (IOException e) {
      return 0;
    }
  }

  private List<Path> folders() {
    try {
      return layout.machineFolders();
    } catch (IOException e) {
      throw ExtentError.reading(layout.machines().toString(), e);
    }
  }

  private void each(String prefix, Consumer<Catalogue.Entry> consumer) {
    String after = "";
    while (true) {
      List<Catalogue.Entry> batch = catalogue.list(prefix, after, BATCH);
      if (batch.isEmpty()) {
        return;
      }
      batch.forEach(consumer);
      after = batch.getLast().key();
    }
  }

  private static String key(String machine, long sequence) {
    return "p/" + machine + "\0" + "%019d".formatted(sequence);
  }

  private String relative(Path file) {
    return layout.machines().relativize(file).toString();
  }

  private static String folderName(Path file) {
    Path folder = file.getParent();
    return folder == null ? "" : folder.getFileName().toString();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
  }
}
