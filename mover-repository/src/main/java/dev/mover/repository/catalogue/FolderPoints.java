package dev.mover.repository.catalogue;

import dev.mover.api.memory.BufferPool;
import dev.mover.api.point.Name;
import dev.mover.api.point.RestorePoint;
import dev.mover.repository.extent.ExtentError;
import dev.mover.repository.extent.ExtentFiles;
import dev.mover.repository.extent.ExtentLayout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * Lists points by their footers, with neither database nor lock: for a repository opened read-only,
 * beside its daemon or as a copy. Which machines there are is read once an instance, points at
 * every call. Used by one thread at a time; blocks.
 */
public final class FolderPoints implements PointList {
  private final ExtentLayout layout;
  private final ExtentFiles files;
  private final BufferPool pool;
  private final TreeMap<String, Path> folders =
      new TreeMap<>((a, b) -> Arrays.compareUnsigned(utf8(a), utf8(b)));
  private boolean scanned;

  public FolderPoints(ExtentLayout layout, ExtentFiles files, BufferPool pool) {
    this.layout = layout;
    this.files = files;
    this.pool = pool;
  }

  @Override
  public List<RestorePoint> after(
      String machine, String afterMachine, long afterSequence, int limit) {
    List<RestorePoint> found = new ArrayList<>();
    for (String name : machine.isEmpty() ? machines() : List.of(machine)) {
      int order =
          afterMachine.isEmpty() ? 1 : Arrays.compareUnsigned(utf8(name), utf8(afterMachine));
      if (order < 0) {
        continue;
      }
      for (Path path : files(name)) {
        long sequence = ExtentLayout.parse(path).orElseThrow().sequence();
        if (order > 0 || sequence > afterSequence) {
          RestorePoint point = PointCatalogue.describe(files, pool, new Name(name), path);
          if (point.isReadable() || Files.exists(path)) { // or it was deleted meanwhile
            found.add(point);
          }
        }
        if (found.size() == limit) {
          return found;
        }
      }
    }
    return found;
  }

  @Override
  public List<Path> files(String machine) {
    Path folder = folders.get(machine);
    return PointCatalogue.committedIn(folder != null ? folder : layout.machine(new Name(machine)));
  }

  @Override
  public void looked(String machine, Path file) {} // it lists what it reads

  @Override
  public boolean remembersChecks() {
    return false;
  }

  @Override
  public void checked(Path file, Instant at) {}

  @Override
  public List<String> machines() {
    if (!scanned) {
      try {
        layout.machineFolders().forEach(this::name);
      } catch (IOException e) {
        throw ExtentError.reading(layout.machines().toString(), e);
      }
      scanned = true;
    }
    return List.copyOf(folders.keySet());
  }

  /**
   * The true name of a machine stands in each of its files. When none of them says it, the folder's
   * name must do: a verification has to see them.
   */
  private void name(Path folder) {
    List<Path> paths = PointCatalogue.committedIn(folder);
    Name byFolder = ExtentLayout.machineOf(folder);
    for (Path path : paths) {
      RestorePoint point = PointCatalogue.describe(files, pool, byFolder, path);
      if (point.isReadable()) {
        folders.put(point.machine().value(), folder);
        return;
      }
    }
    if (!paths.isEmpty()) {
      folders.put(byFolder.value(), folder);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
