package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.testkit.DiskImages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How {@code deploy/mover} starts. */
class LauncherIT {
  @TempDir private Path folder = Path.of("");

  @Test
  void helpTakesLessThanASecond() {
    long bestNs = IntStream.range(0, 3).mapToLong(i -> timeNs("--help")).min().orElseThrow();
    assertThat(bestNs).isLessThan(1_000_000_000);
  }

  private static long timeNs(String... arguments) {
    long startedNs = System.nanoTime();
    Mover.run(arguments).ok();
    return System.nanoTime() - startedNs;
  }

  @Test
  void worksThroughASymlinkFromAnotherFolderWithSpaces() throws Exception {
    Path there = Files.createDirectory(folder.resolve("a folder"));
    Path link = Files.createSymbolicLink(there.resolve("my mover"), Mover.launcher());
    ProcessBuilder builder = Mover.command("--version").directory(there.toFile());
    builder.command().set(0, link.toString());

    assertThat(Mover.await(builder).ok().out()).startsWith("mover 0.");
  }

  @Test
  void namesOutsideAsciiWorkInThePosixLocale() throws Exception {
    Path disk = folder.resolve("größe-😀.img");
    DiskImages.create(disk, 5000, 1);
    String repository = folder.resolve("répo").toString();
    ProcessBuilder builder =
        Mover.command("backup", disk.toString(), "--machine", "é", "--to", repository, "--json");
    builder.environment().keySet().removeIf(name -> name.equals("LANG") || name.startsWith("LC_"));

    assertThat(Mover.await(builder).ok().json().path("machine").asText()).isEqualTo("é");
    assertThat(disk.resolveSibling("répo").resolve("repository.json")).exists();
  }

  @Test
  void aJdkThatIsNamedAndIsNoneIsNotReplacedInSilence() throws Exception {
    ProcessBuilder builder = Mover.command("--version");
    builder.environment().put("MOVER_JAVA_HOME", "/nope");

    Mover.Result result = Mover.await(builder);
    assertThat(result.exit()).isEqualTo(2);
    assertThat(result.err()).contains("MOVER_JAVA_HOME=/nope");
  }

  @Test
  void leavesNothingInTheTempFolder() throws Exception {
    Path temp = Files.createDirectory(folder.resolve("temp"));
    Path disk = folder.resolve("disk");
    DiskImages.create(disk, 5000, 1);
    ProcessBuilder builder =
        Mover.command(
            "backup", disk.toString(), "--machine", "m", "--to", folder.resolve("r").toString());
    builder.environment().put("MOVER_JAVA_OPTS", "-Djava.io.tmpdir=" + temp);

    Mover.await(builder).ok();
    assertThat(temp).isEmptyDirectory();
  }
}
