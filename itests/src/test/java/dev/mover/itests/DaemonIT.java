package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.testkit.Background;
import dev.mover.testkit.DiskImages;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A daemon and who meets it. */
class DaemonIT {
  @TempDir private Path folder = Path.of("");
  private Path disk = Path.of("");
  private Path repository = Path.of("");

  @BeforeEach
  void makeDisk() throws Exception {
    disk = folder.resolve("disk.img");
    DiskImages.create(disk, 20 << 20, 1);
    repository = folder.resolve("repository");
  }

  private static void failsWith(Mover.Result result, String error, String... says) {
    assertThat(result.exit()).isEqualTo(2);
    assertThat(result.error()).isEqualTo(error);
    assertThat(result.json().path("error").path("message").asText()).contains(says);
  }

  @Test
  void directoryIsReadBesideTheDaemonButHasOneWriter() throws Exception {
    String directory = repository.toString();
    try (Daemon daemon = Daemon.start(repository, 2)) {
      Mover.json("backup", disk.toString(), "--machine", "m", "--to", daemon.address()).ok();

      assertThat(Mover.json("points", "--from", directory).ok().jsonLines()).hasSize(1);
      assertThat(Mover.json("verify", "--data", "--from", directory).ok().jsonLines()).hasSize(1);
      Path target = folder.resolve("target");
      Mover.json("restore", "--machine", "m", "--from", directory, target.toString()).ok();
      assertThat(Files.mismatch(disk, target)).isEqualTo(-1);

      failsWith(
          Mover.json("backup", disk.toString(), "--machine", "m", "--to", directory),
          "REPOSITORY_BUSY",
          directory);
      failsWith(
          Mover.json(
              "repository",
              "--config",
              Daemon.config(repository, 1, "127.0.0.1:0", "127.0.0.1:0").toString()),
          "REPOSITORY_BUSY",
          directory);
      assertThat(daemon.stop()).isZero();
    }
    Mover.json("backup", disk.toString(), "--machine", "m", "--to", directory).ok();
  }

  @Test
  void indexIsRebuiltWhileNoDaemonRuns() throws Exception {
    String directory = repository.toString();
    try (Daemon daemon = Daemon.start(repository, 2)) {
      Mover.json("backup", disk.toString(), "--machine", "m", "--to", daemon.address()).ok();
      failsWith(Mover.json("rebuild-index", "--from", directory), "REPOSITORY_BUSY", directory);
      assertThat(Mover.json("rebuild-index", "--from", daemon.address()).error())
          .isEqualTo("BAD_USAGE");
    }
    var rebuilt = Mover.json("rebuild-index", "--from", directory).ok().json();
    assertThat(rebuilt.path("machines").asLong()).isEqualTo(1);
    assertThat(rebuilt.path("points").asLong()).isEqualTo(1);
    assertThat(rebuilt.path("unreadable").asLong()).isZero();
    assertThat(rebuilt.path("blocks").asLong()).isPositive();
    assertThat(Mover.run("rebuild-index", "--from", directory).ok().out())
        .contains("made anew", "1 points");
    assertThat(Mover.json("points", "--from", directory).ok().jsonLines()).hasSize(1);
  }

  @Test
  void healthTellsModeSlotsAndPoints() {
    try (Daemon daemon = Daemon.start(repository, 3)) {
      Mover.json("backup", disk.toString(), "--machine", "m", "--to", daemon.address()).ok();
      var health = daemon.health();
      assertThat(health.path("mode").asText()).isEqualTo(daemon.mode()).isNotEmpty();
      assertThat(health.path("maxConcurrentTasks").asInt()).isEqualTo(3);
      assertThat(health.path("mostTasks").asInt()).isEqualTo(1);
      assertThat(health.path("runningTasks").asInt()).isZero();
      assertThat(health.path("points").asLong()).isEqualTo(1);
      assertThat(health.path("freeBytes").asLong()).isPositive();
    }
  }

  @Test
  void portInUseIsSaidForBothPorts() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      String address = "127.0.0.1:" + port;
      failsWith(
          Mover.json(
              "repository",
              "--config",
              Daemon.config(repository, 1, address, "127.0.0.1:0").toString()),
          "PORT_IN_USE",
          port);
      failsWith(
          Mover.json(
              "repository",
              "--config",
              Daemon.config(repository, 1, "127.0.0.1:0", address).toString()),
          "PORT_IN_USE",
          port);
    }
    Mover.json("backup", disk.toString(), "--machine", "m", "--to", repository.toString()).ok();
  }

  @Test
  void ipv6LiteralsWork() {
    try (Daemon daemon = Daemon.start(repository, 1, "[::1]:0")) {
      assertThat(daemon.address()).startsWith("mover://[::1]:");
      Mover.json("backup", disk.toString(), "--machine", "m", "--to", daemon.address()).ok();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n"})
  void peerThatIsNotAMoverIsRecognised(String greeting) throws Exception {
    try (ServerSocket other = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Void> answering = Background.run(() -> greet(other, greeting));
      failsWith(
          Mover.json("points", "--from", "mover://127.0.0.1:" + other.getLocalPort()),
          "NOT_A_MOVER",
          "127.0.0.1");
      answering.join();
    }
  }

  private static void greet(ServerSocket server, String greeting) {
    try (Socket socket = server.accept()) {
      socket.getOutputStream().write(greeting.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      socket.getInputStream().readAllBytes();
    } catch (IOException e) {
      // the client hung up first, as it should
    }
  }

  @Test
  void strangersOnTheDaemonsPortDoNotDisturbIt() throws Exception {
    try (Daemon daemon = Daemon.start(repository, 1)) {
      int port = Integer.parseInt(daemon.address().replaceAll(".*:", ""));
      byte[] oversized = {0x7f, -1, -1, -1, 1, 0, 0, 0};
      for (byte[] noise :
          new byte[][] {
            "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII), oversized, {0}, {}
          }) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
          socket.getOutputStream().write(noise);
          socket.shutdownOutput();
          assertThat(socket.getInputStream().readAllBytes().length).isLessThan(4096);
        } catch (java.net.SocketException e) {
          assertThat(e).hasMessageContaining("reset");
        }
      }
      Mover.json("backup", disk.toString(), "--machine", "m", "--to", daemon.address()).ok();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Place.class,
      names = {"BTRFS"}) // KillIT has XFS and ext4
  void killedInMidBackupKeepsEarlierPointsAndTheNextRunGoesThrough(Place place) throws Exception {
    DiskImages.create(folder.resolve("large.img"), 200 << 20, 3);
    try (Place.Room room = place.open()) {
      Process backup;
      String address;
      try (Daemon daemon = Daemon.start(room.repository(), 2)) {
        address = daemon.address();
        Mover.json("backup", "d=" + disk, "--machine", "m", "--to", daemon.address()).ok();
        backup =
            Mover.command(
                    "backup",
                    "d=" + folder.resolve("large.img"),
                    "--machine",
                    "m",
                    "--to",
                    daemon.address(),
                    "--compression",
                    "extreme")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        while (daemon.health().path("runningTasks").asInt() == 0) {
          assertThat(backup.isAlive()).isTrue();
        }
        daemon.kill();
      }
      // It tries to go on, and fails when it hears that its session died.
      try (Daemon _ = Daemon.start(room.repository(), 2, address.replace("mover://", ""))) {
        assertThat(backup.onExit().join().exitValue()).isEqualTo(2);
      }

      String directory = room.repository().toString();
      assertThat(Mover.json("points", "--from", directory).ok().jsonLines()).hasSize(1);
      assertThat(Mover.json("verify", "--data", "--from", directory).ok().jsonLines()).hasSize(1);
      try (Daemon daemon = Daemon.start(room.repository(), 2)) {
        Mover.json(
                "backup",
                "d=" + folder.resolve("large.img"),
                "--machine",
                "m",
                "--to",
                daemon.address())
            .ok();
        assertThat(Mover.json("verify", "--data", "--from", directory).ok().jsonLines()).hasSize(2);
      }
    }
  }
}
