package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * kill -9 of the proxy's process or the repository's at moments chosen by a seed, while a disk that
 * changes is backed up: what was committed stays, the next run makes a point of the disk as it is
 * then. {@code -Dmover.kill.rounds=N} does it longer, {@code -Dmover.kill.seed=N} as it was.
 */
class KillIT {
  private static final int ROUNDS = Integer.getInteger("mover.kill.rounds", 4);
  private static final long SEED = Long.getLong("mover.kill.seed", System.nanoTime());
  private static final int DISK_BYTES = 48 << 20;
  private static final int CHANGE_BYTES = 20 << 20;

  /** Makes the streaming of what changed take a second. */
  private static final String LIMIT_MBPS = "20";

  /** A backup takes this long in all, the start of its JVM included. */
  private static final int KILL_WITHIN_MS = 2200;

  private final Random random = new Random(SEED);
  private final List<byte[]> committed = new ArrayList<>();
  private byte[] content = new byte[DISK_BYTES];

  @ParameterizedTest
  @EnumSource(
      value = Place.class,
      names = {"XFS", "EXT4"})
  void whatWasCommittedStaysAndTheNextRunGoesOn(Place place) throws Exception {
    try (Place.Room room = place.open()) {
      System.out.printf("%s: seed %d%n", place, SEED);
      Path disk = Files.write(room.folder().resolve("disk.img"), content);
      Path repository = room.folder().resolve("repository");
      Daemon daemon = Daemon.start(repository, 2);
      try {
        for (int round = 0; round < ROUNDS; round++) {
          change(disk);
          daemon = killOne(daemon, disk, repository);
          look(repository, room.folder().resolve("restored"));
        }
        backup(disk, daemon).ok();
        committed.add(content);
        look(repository, room.folder().resolve("restored"));
        try (var left = Files.walk(repository.resolve("machines"))) {
          assertThat(left).noneMatch(path -> path.toString().endsWith(".partial"));
        }
      } finally {
        daemon.close();
      }
    }
  }

  /** New content somewhere; what is there before it is backed up is what a point must hold. */
  private void change(Path disk) throws IOException {
    content = content.clone();
    byte[] piece = new byte[CHANGE_BYTES];
    random.nextBytes(piece);
    int at = random.nextInt((DISK_BYTES - CHANGE_BYTES) / 512) * 512;
    System.arraycopy(piece, 0, content, at, piece.length);
    try (FileChannel file = FileChannel.open(disk, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(piece), at);
    }
  }

  /** The daemon that runs afterwards. */
  private Daemon killOne(Daemon daemon, Path disk, Path repository) throws Exception {
    Process proxy =
        Mover.command(arguments(disk, daemon))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    boolean ended = proxy.waitFor(300 + random.nextInt(KILL_WITHIN_MS), TimeUnit.MILLISECONDS);
    if (ended) {
      assertThat(proxy.exitValue()).isZero();
      committed.add(content);
    } else if (random.nextBoolean()) {
      proxy.destroyForcibly().onExit().join();
      while (daemon.attendedSessions() > 0) {
        TimeUnit.MILLISECONDS.sleep(50); // what it had sent may be committed still
      }
    } else {
      daemon.kill();
      proxy.destroyForcibly().onExit().join(); // it would wait for the repository to come back
      return Daemon.start(repository, 2);
    }
    return daemon;
  }

  private static String[] arguments(Path disk, Daemon daemon) {
    return new String[] {
      "backup",
      disk.toString(),
      "--machine",
      "m",
      "--to",
      daemon.address(),
      "--limit",
      LIMIT_MBPS,
      "--block-size",
      "256K"
    };
  }

  private static Mover.Result backup(Path disk, Daemon daemon) {
    return Mover.run(arguments(disk, daemon));
  }

  /** Every point that must be there is, whole; one more may have been committed unheard. */
  private void look(Path repository, Path target) throws IOException {
    int points = Mover.json("points", "--from", repository.toString()).ok().jsonLines().size();
    assertThat(points).isBetween(committed.size(), committed.size() + 1);
    if (points > committed.size()) {
      committed.add(content);
    }
    Mover.run("verify", "--data", "--from", repository.toString()).ok();
    if (points > 0) {
      int point = 1 + random.nextInt(points);
      Mover.run(
              "restore",
              "--machine",
              "m",
              "--point",
              Integer.toString(point),
              "--from",
              repository.toString(),
              target.toString())
          .ok();
      assertThat(Files.readAllBytes(target))
          .as("point %d, seed %d", point, SEED)
          .isEqualTo(committed.get(point - 1));
      Files.delete(target);
    }
  }
}
