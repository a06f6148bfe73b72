package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mover.testkit.DiskImages;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What goes in comes out, on every file system, some embedded and some over TCP. */
class RoundTripIT {
  private static final long LARGE = (48L << 20) + 1;
  private static final long SMALL = (3L << 20) - 511;

  @TempDir private Path folder = Path.of("");

  @ParameterizedTest
  @EnumSource(
      value = Place.class,
      names = {"BTRFS", "DIRECTORY"})
  void embeddedBackupComesBackAndASecondRunSendsNothing(Place place) throws Exception {
    try (Place.Room room = place.open()) {
      roundTrip(room.repository().toString());
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Place.class,
      names = {"XFS", "EXT4"})
  void backupOverTcpComesBackAndASecondRunSendsNothing(Place place) throws Exception {
    try (Place.Room room = place.open();
        Daemon daemon = Daemon.start(room.repository(), 2)) {
      roundTrip(daemon.address());
      assertThat(daemon.health().path("points").asLong()).isEqualTo(3);
      assertThat(daemon.stop()).isZero();
    }
  }

  private void roundTrip(String repository) throws Exception {
    Path large = folder.resolve("large.img");
    Path small = folder.resolve("small.img");
    Path first = folder.resolve("first.img");
    DiskImages.create(large, LARGE, 1);
    DiskImages.create(small, SMALL, 2);
    Files.copy(large, first);

    JsonNode one = backup(repository, large, small);
    assertThat(one.path("point").asLong()).isEqualTo(1);
    assertThat(one.path("sizeBytes").asLong()).isEqualTo(LARGE + SMALL);
    assertThat(one.path("sentBytes").asLong()).isPositive();

    JsonNode two = backup(repository, large, small);
    assertThat(two.path("point").asLong()).isEqualTo(2);
    assertThat(two.path("sentBytes").asLong()).isZero();
    assertThat(two.path("storedBytes").asLong()).isZero();
    assertThat(two.path("knownBytes").asLong() + two.path("zeroBytes").asLong())
        .isEqualTo(LARGE + SMALL);

    DiskImages.change(large, 3, 3);
    JsonNode three = backup(repository, large, small);
    assertThat(three.path("sentPlainBytes").asLong()).isBetween(1L, LARGE / 2);

    assertThat(Mover.json("points", "--from", repository).ok().jsonLines())
        .extracting(point -> point.path("point").asLong())
        .containsExactly(1L, 2L, 3L);
    restored(repository, "latest", "large.img", large);
    restored(repository, "latest", "small.img", small);
    restored(repository, "1", "large.img", first);
    assertThat(Mover.json("verify", "--data", "--from", repository).ok().jsonLines())
        .hasSize(3)
        .allMatch(verdict -> verdict.path("outcome").asText().equals("sound"));
  }

  private static JsonNode backup(String repository, Path... disks) {
    String[] arguments = new String[disks.length + 5];
    arguments[0] = "backup";
    for (int i = 0; i < disks.length; i++) {
      arguments[i + 1] = disks[i].toString();
    }
    arguments[disks.length + 1] = "--machine";
    arguments[disks.length + 2] = "web";
    arguments[disks.length + 3] = "--to";
    arguments[disks.length + 4] = repository;
    return Mover.json(arguments).ok().json();
  }

  private void restored(String repository, String point, String disk, Path equal) throws Exception {
    Path target = folder.resolve("restored.img");
    Mover.json(
            "restore",
            "--machine",
            "web",
            "--point",
            point,
            "--disk",
            disk,
            "--from",
            repository,
            target.toString())
        .ok();
    assertThat(Files.mismatch(equal, target)).isEqualTo(-1);
    Files.delete(target);
  }

  @ParameterizedTest
  @EnumSource(
      value = Place.class,
      names = {"XFS", "BTRFS"})
  void secondMachineOfEqualContentSharesTheDiskSpace(Place place) throws Exception {
    try (Place.Room room = place.open()) {
      String repository = room.repository().toString();
      Path disk = folder.resolve("disk.img");
      DiskImages.create(disk, 64L << 20, 5);
      long empty = room.usedBytes();
      Mover.run("backup", disk.toString(), "--machine", "web", "--to", repository).ok();
      long one = room.usedBytes();
      JsonNode second =
          Mover.json("backup", disk.toString(), "--machine", "db", "--to", repository).ok().json();

      assertThat(second.path("sentBytes").asLong()).isZero();
      assertThat(second.path("linkedBytes").asLong()).isPositive();
      assertThat(one - empty).isGreaterThan(10L << 20);
      assertThat(room.usedBytes() - one).isLessThan((one - empty) / 2); // maps, index, metadata

      Path target = folder.resolve("restored.img");
      Mover.run("restore", "--machine", "db", "--from", repository, target.toString()).ok();
      assertThat(Files.mismatch(disk, target)).isEqualTo(-1);
    }
  }

  @Test
  void everyBlockSizeAndCompressionComesBack() throws Exception {
    Path disk = folder.resolve("disk.img");
    DiskImages.create(disk, (9L << 20) + 77, 6);
    String repository = folder.resolve("repository").toString();
    String[] sizes = {"256K", "512K", "1M", "4M"};
    String[] compressions = {"none", "fast", "high", "extreme"};
    for (int i = 0; i < sizes.length; i++) {
      Mover.run(
              "backup",
              "d=" + disk,
              "--machine",
              sizes[i],
              "--to",
              repository,
              "--block-size",
              sizes[i],
              "--compression",
              compressions[i])
          .ok();
      Path target = folder.resolve(sizes[i]);
      Mover.run("restore", "--machine", sizes[i], "--from", repository, target.toString()).ok();
      assertThat(Files.mismatch(disk, target)).isEqualTo(-1);
    }
  }

  @Test
  void oddSizesComeBack() throws Exception {
    String repository = folder.resolve("repository").toString();
    long[] sizes = {0, 1, 511, 512, (1 << 20) - 1, 1 << 20, (1 << 20) + 1};
    String[] backup = new String[sizes.length + 5];
    backup[0] = "backup";
    for (int i = 0; i < sizes.length; i++) {
      Path disk = folder.resolve("disk" + sizes[i]);
      DiskImages.create(disk, sizes[i], 7 + i);
      backup[i + 1] = disk.toString();
    }
    System.arraycopy(
        new String[] {"--machine", "odd", "--to", repository}, 0, backup, sizes.length + 1, 4);
    Mover.run(backup).ok();
    for (long size : sizes) {
      Path target = folder.resolve("restored" + size);
      Mover.run(
              "restore",
              "--machine",
              "odd",
              "--disk",
              "disk" + size,
              "--from",
              repository,
              target.toString())
          .ok();
      assertThat(Files.mismatch(folder.resolve("disk" + size), target)).isEqualTo(-1);
    }
  }
}
