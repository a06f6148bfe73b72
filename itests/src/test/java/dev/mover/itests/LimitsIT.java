package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mover.testkit.DiskImages;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory, huge disks, full file systems. */
class LimitsIT {
  /** What each process may have resident, at most. */
  private static final long MOST_RSS_BYTES = 512L << 20;

  @TempDir private Path folder = Path.of("");

  @Test
  void hugeSparseDiskTakesSecondsAndLittleMemoryBothWays() throws Exception {
    Path disk = folder.resolve("sparse.img");
    long size = 2L << 40;
    long[] places = {0, 777L << 30, size - 5000};
    try (RandomAccessFile file = new RandomAccessFile(disk.toFile(), "rw")) {
      file.setLength(size);
      for (long place : places) {
        file.seek(place);
        file.write(DiskImages.bytes(5000, place));
      }
    }
    Path target = folder.resolve("restored.img");
    try (Place.Room room = Place.XFS.open();
        Daemon daemon = Daemon.start(room.repository(), 1)) {
      long startedNs = System.nanoTime();
      Mover.Result backup =
          Mover.json("backup", disk.toString(), "--machine", "m", "--to", daemon.address()).ok();
      assertThat(backup.json().path("readBytes").asLong()).isLessThan(64L << 20);
      assertThat(backup.json().path("zeroBytes").asLong()).isGreaterThan(size - (64L << 20));
      Mover.Result restore =
          Mover.json("restore", "--machine", "m", "--from", daemon.address(), target.toString())
              .ok();

      assertThat((System.nanoTime() - startedNs) / 1_000_000_000).isLessThan(30);
      assertThat(backup.peakRssBytes()).isBetween(1L, MOST_RSS_BYTES);
      assertThat(restore.peakRssBytes()).isBetween(1L, MOST_RSS_BYTES);
      assertThat(daemon.peakRssBytes()).isBetween(1L, MOST_RSS_BYTES);
    }
    assertThat(Files.size(target)).isEqualTo(size);
    for (long place : places) {
      assertThat(read(target, place)).isEqualTo(read(disk, place));
    }
  }

  private static ByteBuffer read(Path file, long at) throws Exception {
    ByteBuffer bytes = ByteBuffer.allocate(5000);
    try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
      in.read(bytes, at);
    }
    return bytes.flip();
  }

  @Test
  void sixDisksAtOnceStayWithinTheirMemoryOverTcpAndEmbedded() throws Exception {
    List<String> arguments = new ArrayList<>(List.of("backup"));
    for (int i = 0; i < 6; i++) {
      Path disk = folder.resolve("disk" + i);
      DiskImages.create(disk, 64L << 20, 10 + i);
      arguments.add(disk.toString());
    }
    arguments.addAll(List.of("--machine", "m", "--slots", "6", "--block-size", "4M", "--to"));
    try (Daemon daemon = Daemon.start(folder.resolve("daemon"), 6)) {
      Mover.Result tcp = backup(arguments, daemon.address());
      assertThat(tcp.json().path("mostTasks").asInt()).isGreaterThan(1);
      assertThat(tcp.peakRssBytes()).isBetween(1L, MOST_RSS_BYTES);
      assertThat(daemon.peakRssBytes()).isBetween(1L, MOST_RSS_BYTES);
    }
    assertThat(backup(arguments, folder.resolve("embedded").toString()).peakRssBytes())
        .isBetween(1L, MOST_RSS_BYTES);
  }

  private static Mover.Result backup(List<String> arguments, String to) {
    String[] all = arguments.toArray(new String[arguments.size() + 1]);
    all[arguments.size()] = to;
    return Mover.json(all).ok();
  }

  @Test
  void fullTargetFailsTheRunAndNothingElse() throws Exception {
    Path small = folder.resolve("small.img");
    Path large = folder.resolve("large.img");
    DiskImages.create(small, 8L << 20, 1);
    noise(large, 400);
    try (Place.Room room = Place.XFS.open(320L << 20)) {
      String repository = room.repository().toString();
      Mover.json("backup", small.toString(), "--machine", "web", "--to", repository).ok();
      Mover.Result full =
          Mover.json("backup", large.toString(), "--machine", "db", "--to", repository);

      assertThat(full.exit()).isEqualTo(2);
      assertThat(full.error()).isEqualTo("REPOSITORY_FULL");
      assertThat(full.json().path("error").path("message").asText()).contains(repository);
      JsonNode point = Mover.json("points", "--from", repository).ok().json();
      assertThat(point.path("machine").asText()).isEqualTo("web");
      Path target = folder.resolve("restored.img");
      Mover.json("restore", "--machine", "web", "--from", repository, target.toString()).ok();
      assertThat(Files.mismatch(small, target)).isEqualTo(-1);
    }
  }

  private static void noise(Path file, int mebibytes) throws Exception {
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      java.util.SplittableRandom random = new java.util.SplittableRandom(1);
      byte[] block = new byte[1 << 20];
      for (int i = 0; i < mebibytes; i++) {
        random.nextBytes(block);
        out.write(block);
      }
    }
  }

  @Test
  void fullRestoreTargetSaysSo() throws Exception {
    Path large = folder.resolve("large.img");
    noise(large, 360);
    String repository = folder.resolve("repository").toString();
    Mover.json("backup", large.toString(), "--machine", "db", "--to", repository).ok();
    try (Place.Room room = Place.XFS.open(320L << 20)) {
      Path target = room.folder().resolve("restored.img");
      Mover.Result full =
          Mover.json("restore", "--machine", "db", "--from", repository, target.toString());
      assertThat(full.exit()).isEqualTo(2);
      assertThat(full.error()).isIn("TARGET_WRITE_FAILED", "TARGET_TOO_SMALL");
      assertThat(full.json().path("error").path("message").asText()).contains(target.toString());
    }
  }

  @Test
  void sourceThatGrowsOrShrinksBetweenPointsKeepsBothPoints() throws Exception {
    String repository = folder.resolve("repository").toString();
    Path disk = folder.resolve("disk");
    long[] sizes = {(5 << 20) + 100, (9 << 20) + 1, 2 << 20};
    for (int i = 0; i < sizes.length; i++) {
      try (RandomAccessFile file = new RandomAccessFile(disk.toFile(), "rw")) {
        file.setLength(sizes[i]);
        file.seek(sizes[i] - 1000);
        file.write(DiskImages.bytes(1000, i));
      }
      Files.copy(disk, folder.resolve("kept" + i));
      Mover.json("backup", disk.toString(), "--machine", "m", "--to", repository).ok();
    }
    for (int i = 0; i < sizes.length; i++) {
      Path target = folder.resolve("restored" + i);
      Mover.json(
              "restore",
              "--machine",
              "m",
              "--point",
              Integer.toString(i + 1),
              "--from",
              repository,
              target.toString())
          .ok();
      assertThat(Files.mismatch(folder.resolve("kept" + i), target)).isEqualTo(-1);
    }
  }
}
