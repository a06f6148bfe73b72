package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.point.Name;
import dev.mover.dedup.codec.Compression;
import dev.mover.proxy.BackupRequest;
import dev.mover.proxy.Progress;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.ProxyOptions;
import dev.mover.proxy.RestoreRequest;
import dev.mover.proxy.RestoreResult;
import dev.mover.proxy.RestoreResult.BadRange;
import dev.mover.proxy.source.DirectSource;
import dev.mover.repository.Repository;
import dev.mover.repository.RepositoryOptions;
import dev.mover.repository.extent.LinuxExtentFiles;
import dev.mover.repository.file.BackupFile;
import dev.mover.repository.file.MapCursor;
import dev.mover.repository.file.MapEntry;
import dev.mover.repository.file.MapEntry.Slot;
import dev.mover.repository.file.Page;
import dev.mover.transport.inprocess.InProcessConnector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What can be had of a point whose map is damaged in both copies, and whose blocks are, too. */
class TolerantRestoreTest {
  private static final int BLOCK = BlockSize.KIB_256.bytes();
  private static final int BLOCKS = 5 * MapEntry.PER_PAGE;
  private static final int DAMAGED_BLOCK = 5;
  private static final int DAMAGED_PAGE = 2;
  private static final Name MACHINE = new Name("web");

  @TempDir Path dir;

  @Test
  void leavesOutWhatADamagedMapDoesNotTell() throws IOException {
    byte[] disk = disk();
    Path source = Files.write(dir.resolve("disk.raw"), disk);
    Path directory = dir.resolve("repository");
    try (Proxy proxy = new Proxy(ProxyOptions.DEFAULT);
        Repository repository = Repository.open(directory, RepositoryOptions.DEFAULT)) {
      InProcessConnector connector = new InProcessConnector(repository.links());
      proxy.backup(
          new BackupRequest(
              MACHINE,
              List.of(DirectSource.open(new Name("d"), source)),
              BlockSize.KIB_256,
              Compression.FAST),
          connector,
          Progress.Listener.NONE);
      List<BadRange> expected = damage(point(directory));

      assertThatThrownBy(() -> restore(proxy, connector, "strict", false))
          .isInstanceOfSatisfying(
              MoverException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.METADATA_DAMAGED));
      assertThat(dir.resolve("strict")).doesNotExist();

      RestoreResult result = restore(proxy, connector, "tolerant", true);
      assertThat(result.badRanges()).isEqualTo(expected);
      assertThat(result.badBytes()).isEqualTo(expected.stream().mapToLong(BadRange::length).sum());
      for (BadRange range : expected) {
        Arrays.fill(disk, (int) range.offset(), (int) (range.offset() + range.length()), (byte) 0);
      }
      assertThat(Files.readAllBytes(dir.resolve("tolerant"))).isEqualTo(disk);
    }
  }

  private RestoreResult restore(
      Proxy proxy, InProcessConnector connector, String target, boolean tolerant) {
    return proxy.restore(
        new RestoreRequest(MACHINE, 1, Optional.empty(), dir.resolve(target), false, tolerant),
        connector,
        Progress.Listener.NONE);
  }

  /** Unlike blocks that pack well, some zeros, and an odd end. */
  private static byte[] disk() {
    byte[] disk = new byte[BLOCKS * BLOCK - 100];
    SplittableRandom random = new SplittableRandom(1);
    for (int block = 0; block < BLOCKS; block++) {
      if (block % 7 != 3) {
        ByteBuffer.wrap(disk).putLong(block * BLOCK + 1000, random.nextLong());
      }
    }
    return disk;
  }

  private static Path point(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(p -> p.toString().endsWith(".mbf")).findFirst().orElseThrow();
    }
  }

  /** Damages one slot, and one page of the map in both copies; what can't be restored then. */
  private static List<BadRange> damage(Path point) throws IOException {
    long slot;
    long firstLost = -1;
    long endLost = -1;
    long[] pages;
    try (BufferPool pool = new BufferPool("test", Side.REPOSITORY, 1 << 20);
        BackupFile file = BackupFile.open(new LinuxExtentFiles(false), point, pool);
        MapCursor map = file.map(0)) {
      assertThat(map.seek(DAMAGED_BLOCK)).isTrue();
      slot = ((Slot) map.entry()).offset();
      long page = file.disks().getFirst().firstMapPage() + DAMAGED_PAGE;
      pages =
          new long[] {
            file.footer().metadata1() + page * Page.BYTES,
            file.footer().metadata2() + page * Page.BYTES
          };
    }
    try (BufferPool pool = new BufferPool("test", Side.REPOSITORY, 1 << 20);
        BackupFile file = BackupFile.open(new LinuxExtentFiles(false), point, pool);
        MapCursor map = file.map(0)) {
      for (int entry = 0; entry < (DAMAGED_PAGE + 1) * MapEntry.PER_PAGE; entry++) {
        assertThat(map.next()).isTrue();
        firstLost = entry == DAMAGED_PAGE * MapEntry.PER_PAGE ? map.block() : firstLost;
        endLost = map.endBlock();
      }
    }
    flip(point, slot + 20); // in its header
    flip(point, pages[0] + 50);
    flip(point, pages[1] + 50);
    return List.of(
        new BadRange((long) DAMAGED_BLOCK * BLOCK, BLOCK),
        new BadRange(firstLost * BLOCK, (endLost - firstLost) * BLOCK));
  }

  private static void flip(Path file, long at) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, at);
      one.put(0, (byte) (one.get(0) ^ 1));
      channel.write(one.flip(), at);
      channel.force(true);
    }
  }
}
