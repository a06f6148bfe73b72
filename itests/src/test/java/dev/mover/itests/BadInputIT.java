package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.testkit.DiskImages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bad input gets a clear error and loses nothing. */
class BadInputIT {
  @TempDir private Path folder = Path.of("");
  private Path disk = Path.of("");
  private String repository = "";

  @BeforeEach
  void makeDisk() throws Exception {
    disk = folder.resolve("disk.img");
    DiskImages.create(disk, 3 << 20, 1);
    repository = folder.resolve("repository").toString();
  }

  private Mover.Result backup(String source, String machine) {
    return Mover.json("backup", source, "--machine", machine, "--to", repository);
  }

  private static void failsWith(Mover.Result result, int exit, String error, String... says) {
    assertThat(result.exit()).isEqualTo(exit);
    assertThat(result.error()).isEqualTo(error);
    assertThat(List.of(says))
        .allSatisfy(
            part ->
                assertThat(result.json().path("error").path("message").asText()).contains(part));
    assertThat(result.err()).as("the error is told once").isEmpty();
  }

  @Test
  void missingSourceOrFolderAsSource() {
    failsWith(backup("/none.img", "m"), 2, "SOURCE_MISSING", "/none.img");
    failsWith(backup(folder.toString(), "m"), 2, "SOURCE_UNSUPPORTED", folder.toString());
    failsWith(backup("/dev/null", "m"), 2, "SOURCE_UNSUPPORTED", "/dev/null");
    assertThat(Path.of(repository)).doesNotExist();
  }

  @Test
  void unreadableSource() throws Exception {
    Assumptions.assumeFalse(isRoot(), "root may read everything");
    Files.setPosixFilePermissions(disk, PosixFilePermissions.fromString("---------"));
    failsWith(backup(disk.toString(), "m"), 2, "SOURCE_UNREADABLE", disk.toString());
  }

  private static boolean isRoot() throws Exception {
    return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
  }

  @Test
  void errorOnATerminalIsOneLineWithCodeAndNoStack() {
    Mover.Result result = Mover.run("backup", "/none.img", "--machine", "m", "--to", repository);
    assertThat(result.exit()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    assertThat(result.err().lines()).hasSize(1);
    assertThat(result.err())
        .startsWith("mover: backup: ")
        .contains("/none.img")
        .endsWith("[code SOURCE_MISSING 200]\n");
  }

  @Test
  void oddNamesNameMachinesAndDisks() throws Exception {
    List<String> names =
        List.of(
            "a/b", "..", "../../etc", ".hidden", " in spaces ", "%2e%2e", "😀 Größe", "-x", "a\\b");
    for (String name : names) {
      String source = name + "=" + disk;
      Mover.run("backup", "--machine=" + name, "--to", repository, "--json", "--", source).ok();
    }
    assertThat(Mover.json("points", "--from", repository).ok().jsonLines())
        .hasSize(names.size())
        .allSatisfy(
            point -> {
              assertThat(point.path("machine").asText()).isIn(names);
              assertThat(point.path("disks").path(0).path("disk")).isEqualTo(point.path("machine"));
            });
    for (String name : List.of("..", "😀 Größe", "-x")) {
      Path target = folder.resolve("restored");
      Mover.run(
              "restore",
              "--machine=" + name,
              "--disk=" + name,
              "--from",
              repository,
              target.toString())
          .ok();
      assertThat(Files.mismatch(disk, target)).isEqualTo(-1);
      Files.delete(target);
    }
  }

  @Test
  void namesOf255BytesWorkAndLongerOrBrokenOnesAreUsageErrors() {
    backup(disk.toString(), "é".repeat(127) + "x").ok();
    failsWith(backup(disk.toString(), "x".repeat(256)), 64, "BAD_USAGE", "255 bytes");
    failsWith(backup(disk.toString(), ""), 64, "BAD_USAGE", "255 bytes");
    failsWith(backup(disk.toString(), "a\nb"), 64, "BAD_USAGE", "control characters");
    failsWith(backup("a\nb=" + disk, "m"), 64, "BAD_NAME", "control characters");
  }

  @Test
  void directoryThatIsNotARepository() throws Exception {
    Path other = Files.createDirectory(folder.resolve("other"));
    Files.writeString(other.resolve("precious.txt"), "keep");
    failsWith(
        Mover.json("backup", disk.toString(), "--machine", "m", "--to", other.toString()),
        2,
        "NOT_A_REPOSITORY",
        other.toString());
    failsWith(Mover.json("points", "--from", other.toString()), 2, "NOT_A_REPOSITORY");
    failsWith(Mover.json("points", "--from", disk.toString()), 2, "NOT_A_REPOSITORY");
    try (var left = Files.list(other)) {
      assertThat(left).containsExactly(other.resolve("precious.txt"));
    }
  }

  @Test
  void repositoryOfANewerVersion() throws Exception {
    backup(disk.toString(), "m").ok();
    Path file = Path.of(repository, "repository.json");
    String now = Files.readString(file);
    String newer = now.replaceFirst("(\"[A-Za-z]*[vV]ersion\"\\s*:\\s*)\\d+", "$199");
    assertThat(newer).isNotEqualTo(now);
    Files.writeString(file, newer);

    failsWith(backup(disk.toString(), "m"), 2, "REPOSITORY_TOO_NEW", repository);
    failsWith(Mover.json("points", "--from", repository), 2, "REPOSITORY_TOO_NEW", repository);
  }

  @Test
  void pointDiskOrMachineThatIsNotThere() {
    backup(disk.toString(), "m").ok();
    String target = folder.resolve("target").toString();
    failsWith(
        Mover.json("restore", "--machine", "x", "--from", repository, target),
        2,
        "NO_SUCH_POINT",
        "x");
    failsWith(
        Mover.json("restore", "--machine", "m", "--point", "7", "--from", repository, target),
        2,
        "NO_SUCH_POINT",
        "7");
    failsWith(
        Mover.json("restore", "--machine", "m", "--disk", "x", "--from", repository, target),
        2,
        "NO_SUCH_DISK",
        "x");
    assertThat(Path.of(target)).doesNotExist();
  }

  @Test
  void existingTargetIsKeptUnlessToldOtherwise() throws Exception {
    backup(disk.toString(), "m").ok();
    Path target = Files.writeString(folder.resolve("target"), "keep me");
    failsWith(
        Mover.json("restore", "--machine", "m", "--from", repository, target.toString()),
        2,
        "TARGET_EXISTS",
        target.toString());
    assertThat(target).hasContent("keep me");

    Mover.json("restore", "--machine", "m", "--from", repository, target.toString(), "--overwrite")
        .ok();
    assertThat(Files.mismatch(disk, target)).isEqualTo(-1);
  }

  @Test
  void badAddresses() {
    for (String address :
        new String[] {
          "mover://",
          "mover://host:x",
          "mover://host:70000",
          "ftp://host",
          "localhost:17700",
          "[::1]"
        }) {
      failsWith(Mover.json("points", "--from", address), 64, "BAD_ADDRESS");
    }
    failsWith(
        Mover.json("points", "--from", "mover://127.0.0.1:1"), 2, "CONNECT_FAILED", "127.0.0.1:1");
  }

  @Test
  void unknownConfigurationKeyIsNamed() throws Exception {
    Path config = Files.writeString(folder.resolve("c.yaml"), "path: /x\nlisten_on: a:1\n");
    failsWith(
        Mover.json("repository", "--config", config.toString()),
        64,
        "BAD_CONFIG",
        "'listen_on'",
        "known keys:");
  }

  @Test
  void damagedFileIsFoundNamedAndOnlyTouchesItsPoints() throws Exception {
    backup(disk.toString(), "m").ok();
    backup(disk.toString(), "n").ok();
    Path file;
    try (var files = Files.walk(Path.of(repository, "machines", "m"))) {
      file = files.filter(f -> f.toString().endsWith(".mbf")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(file);
    for (int at = 8192; at < 8192 + 300; at++) {
      bytes[at] ^= 0x55;
    }
    Files.write(file, bytes); // new blocks of the file system: shared ones of n stay as they are

    Mover.Result verify = Mover.json("verify", "--data", "--machine", "m", "--from", repository);
    assertThat(verify.exit()).isEqualTo(2);
    assertThat(verify.json().path("outcome").asText()).isEqualTo("damaged");
    assertThat(verify.json().path("findings")).isNotEmpty();

    Mover.Result restore =
        Mover.json(
            "restore", "--machine", "m", "--from", repository, folder.resolve("t").toString());
    assertThat(restore.exit()).isEqualTo(2);
    assertThat(restore.error()).isEqualTo("BLOCK_DAMAGED");
  }
}
