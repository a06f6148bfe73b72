package dev.mover.deploy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder = Path.of("");

  private int run(String... args) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return Main.run(args, new PrintWriter(out, true), new PrintWriter(err, true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "backup",
        "restore",
        "points",
        "verify",
        "delete",
        "retain",
        "partials",
        "repository",
        "demo",
        "bench"
      })
  void everyCommandHasHelpWithExamplesOrDefaults(String command) {
    assertThat(run(command, "--help")).isZero();
    assertThat(out.toString()).contains("Usage: mover " + command, "--json");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void helpNamesCommandsExitCodesAndLevels() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString())
        .contains(
            "backup",
            "restore",
            "points",
            "verify",
            "delete",
            "retain",
            "partials",
            "repository",
            "demo",
            "bench",
            "Exit codes: 0");

    assertThat(run("backup", "--help")).isZero();
    assertThat(out.toString())
        .contains("optimal (zstd 2)", "extreme (zstd 9)", "default: 4", "default: 1M");
  }

  @Test
  void withoutACommandShowsHelpAsUsageError() {
    assertThat(run()).isEqualTo(64);
    assertThat(err.toString()).contains("Usage: mover");
  }

  @Test
  void unknownOptionsAndWordsAreUsageErrorsOnOneLine() {
    assertThat(run("backup", "x", "--machine", "m", "--too", "r")).isEqualTo(64);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(err.toString()).startsWith("mover: backup: ").contains("[code BAD_USAGE 100]");

    assertThat(run("bakcup", "x")).isEqualTo(64);
    assertThat(err.toString())
        .startsWith("mover: there is no command 'bakcup'; did you mean backup?");
  }

  @Test
  void mistypedRequiredOptionIsNamedAsMistyped() {
    assertThat(run("backup", "x", "--machin", "m", "--to", "r")).isEqualTo(64);
    assertThat(err.toString()).contains("'--machin'; did you mean --machine?");
  }

  @Test
  void aPointToVerifyIsOneOfAMachine() {
    assertThat(run("verify", "--from", "r", "--point", "2")).isEqualTo(64);
    assertThat(err.toString()).contains("name one with --machine");
    assertThat(run("verify", "--from", "r", "--machine", "m", "--point", "0")).isEqualTo(64);
    assertThat(err.toString()).contains("'0' is not a point");
  }

  @Test
  void badChoicesNameTheRightOnes() {
    assertThat(run("backup", "x", "--machine", "m", "--to", "r", "--block-size", "2M"))
        .isEqualTo(64);
    assertThat(err.toString()).contains("'2M' is not one of 256K, 512K, 1M, 4M");

    assertThat(run("backup", "x", "--machine", "m", "--to", "r", "--compression", "max"))
        .isEqualTo(64);
    assertThat(err.toString()).contains("none, fast, optimal, high, extreme");

    assertThat(run("restore", "--machine", "m", "--point", "0", "--from", "r", "t")).isEqualTo(64);
    assertThat(err.toString()).contains("'0' is not a point");

    assertThat(run("backup", "x", "--machine", "m", "--to", "r", "--slots", "65")).isEqualTo(64);
    assertThat(err.toString()).contains("--slots takes 1 to 64");
  }

  @Test
  void namesWithLineBreaksAreRefusedAndCannotBreakTheLine() {
    assertThat(run("backup", "x", "--machine", "a\nb", "--to", "r")).isEqualTo(64);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(err.toString()).contains("control characters");
  }

  @Test
  void errorIsAnObjectWithJson() throws Exception {
    Path missing = folder.resolve("none.img");
    assertThat(
            run(
                "backup",
                missing.toString(),
                "--machine",
                "m",
                "--to",
                folder.resolve("r").toString(),
                "--json"))
        .isEqualTo(2);
    JsonNode error = new ObjectMapper().readTree(out.toString()).path("error");
    assertThat(error.path("code").asInt()).isEqualTo(200);
    assertThat(error.path("name").asText()).isEqualTo("SOURCE_MISSING");
    assertThat(error.path("side").asText()).isEqualTo("proxy");
    assertThat(error.path("message").asText()).contains(missing.toString());
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void mistypedSourceLeavesNoRepositoryBehind() {
    Path repository = folder.resolve("r");
    assertThat(run("backup", "/none", "--machine", "m", "--to", repository.toString()))
        .isEqualTo(2);
    assertThat(err.toString()).startsWith("mover: backup: ").contains("[code SOURCE_MISSING 200]");
    assertThat(repository).doesNotExist();
  }

  @Test
  void readingWhereNothingIsSaysSo() {
    assertThat(run("points", "--from", folder.resolve("none").toString())).isEqualTo(2);
    assertThat(err.toString()).contains("[code NOT_A_REPOSITORY 300]");
    assertThat(run("points", "--from", "")).isEqualTo(64);
    assertThat(run("points", "--from", "http://x")).isEqualTo(64);
    assertThat(err.toString()).contains("[code BAD_ADDRESS 104]");
  }

  @Test
  void printsTheSampleConfiguration() {
    assertThat(run("repository", "--print-config")).isZero();
    assertThat(out.toString()).contains("maxConcurrentTasks: 4");
    assertThat(run("repository")).isEqualTo(64);
    assertThat(err.toString()).contains("--config");
  }

  @Test
  void addressWithoutItsSchemeMakesNoDirectory() throws Exception {
    Path disk = Files.write(folder.resolve("d.img"), new byte[] {1, 2, 3});
    String place = "localhost:17700";

    assertThat(run("backup", disk.toString(), "--machine", "m", "--to", place)).isEqualTo(64);
    assertThat(err.toString())
        .contains("did you mean mover://localhost:17700?", "[code BAD_ADDRESS 104]");
    assertThat(run("restore", "--machine", "m", "--from", place, "t")).isEqualTo(64);
    assertThat(run("points", "--from", place)).isEqualTo(64);
    assertThat(run("verify", "--from", place)).isEqualTo(64);
    assertThat(run("jobs", "submit", disk.toString(), "--machine", "m", "--to", place))
        .isEqualTo(64);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(Path.of(place)).doesNotExist();
  }

  @Test
  void fileThatHoldsADiskInsideIsBackedUpWithAWarningUnlessMeant() throws Exception {
    Path disk = folder.resolve("d.qcow2");
    Files.write(disk, "QFI\u00fb and more".getBytes(StandardCharsets.ISO_8859_1));
    String[] backup = {
      "backup", disk.toString(), "--machine", "m", "--to", folder.resolve("r").toString()
    };

    assertThat(run(backup)).isEqualTo(1);
    assertThat(err.toString().lines().filter(line -> line.startsWith("mover: warning: ")))
        .singleElement()
        .asString()
        .contains(disk.toString(), "is a qcow2 image", "--raw");
    assertThat(run(with(backup, "--json"))).isEqualTo(1);
    JsonNode result = new ObjectMapper().readTree(out.toString());
    assertThat(result.path("status").asText()).isEqualTo("warning");
    assertThat(result.path("warnings")).hasSize(1);
    assertThat(result.path("repositoryMode").asText()).containsPattern("^(no )?cloning on ");
    assertThat(run(with(backup, "--raw"))).isZero();
    assertThat(err.toString()).doesNotContain("warning");
  }

  @Test
  void saysWhatARepositoryWithoutCloningMeans() {
    assertThat(ModeText.of("cloning on xfs, 4 KiB aligned, direct I/O")).isEmpty();
    assertThat(ModeText.of("no cloning on ext4, direct I/O"))
        .hasValueSatisfying(
            line ->
                assertThat(line)
                    .startsWith("no cloning on ext4, direct I/O: ")
                    .contains("only within their machine"));
  }

  @Test
  void backsUpAndRestoresInOneProcess() throws Exception {
    Path disk = Files.write(folder.resolve("d.img"), new byte[] {1, 2, 3});
    Path target = folder.resolve("t.img");
    String repository = folder.resolve("r").toString();

    assertThat(run("backup", disk.toString(), "--machine", "m", "--to", repository)).isZero();
    assertThat(out.toString()).contains("machine m, point 1: 3 B of disk");
    assertThat(run("points", "--from", repository)).isZero();
    assertThat(out.toString()).contains("MACHINE", "d.img");
    assertThat(run("restore", "--machine", "m", "--from", repository, target.toString())).isZero();
    assertThat(target).hasBinaryContent(new byte[] {1, 2, 3});
    assertThat(err.toString())
        .contains("3 B of 3 B written, ", " received")
        .doesNotContain("sent")
        .doesNotContain("0 B of 0 B");
    assertThat(run("verify", "--data", "--from", repository)).isZero();
    assertThat(out.toString()).contains("m, point 1: sound", "all sound");
  }

  @Test
  void whatToDeleteMustBeSaid() {
    assertThat(run("delete", "--machine", "m", "--from", "r")).isEqualTo(64);
    assertThat(err.toString()).contains("--point P for one, or --all");
    assertThat(run("delete", "--machine", "m", "--from", "r", "--all", "--point", "1"))
        .isEqualTo(64);
    assertThat(run("retain", "--from", "r")).isEqualTo(64);
    assertThat(err.toString()).contains("say how many points to keep");
    assertThat(run("retain", "--from", "r", "--keep-last", "-1")).isEqualTo(64);
    assertThat(err.toString()).contains("0 to 1000000, not -1");
  }

  @Test
  void listsAndRemovesPartials() throws Exception {
    String disk = Files.write(folder.resolve("d.img"), new byte[] {1, 2, 3}).toString();
    String repository = folder.resolve("r").toString();
    assertThat(run("backup", disk, "--machine", "m", "--to", repository)).isZero();
    assertThat(run("partials", "--from", repository)).isZero();
    assertThat(out.toString()).isEqualTo("no partials\n");
    String name = "machines/m/0000000002-00000000-0000-4000-8000-000000000001.partial";
    Files.write(folder.resolve("r").resolve(name), new byte[8192]);

    assertThat(run("partials", "--from", repository)).isZero();
    assertThat(out.toString()).contains("MACHINE", "m        unknown", "1 partial, 8.2 kB");
    assertThat(run("partials", "--from", repository, "--json")).isZero();
    assertThat(lines().getFirst().path("file").asText()).endsWith("000001.partial");
    assertThat(run("partials", "--remove", "other", "--from", repository)).isZero();
    assertThat(out.toString()).isEqualTo("machine other has no partials\n");
    assertThat(run("partials", "--remove", "m", "--from", repository)).isZero();
    assertThat(out.toString()).contains("1 partial removed, 8.2 kB");
    assertThat(run("partials", "--from", repository)).isZero();
    assertThat(out.toString()).isEqualTo("no partials\n");
    assertThat(run("verify", "--data", "--from", repository)).isZero();
    assertThat(run("partials", "--from", folder.resolve("none").toString())).isEqualTo(2);
  }

  @Test
  void deletesAndRetains() throws Exception {
    String disk = Files.write(folder.resolve("d.img"), new byte[] {1, 2, 3}).toString();
    String repository = folder.resolve("r").toString();
    for (int i = 0; i < 4; i++) {
      assertThat(run("backup", disk, "--machine", "m", "--to", repository)).isZero();
    }
    String[] delete = {"delete", "--machine", "m", "--point", "2", "--from", repository};
    assertThat(run(with(delete, "--dry-run"))).isZero();
    assertThat(out.toString()).contains("m: point 2, 3 stay; ", "1 point would be deleted");
    assertThat(run(with(delete, "--dry-run", "--exact"))).isZero();
    assertThat(out.toString()).containsPattern("1 point would be deleted; exactly .* come back");
    assertThat(run(with(delete, "--exact"))).isEqualTo(64);
    assertThat(err.toString()).contains("--exact says more of a --dry-run");
    assertThat(run(delete)).isZero();
    assertThat(out.toString()).contains("m: point 2, 3 stay", "1 point deleted; the file system");
    assertThat(run(delete)).isEqualTo(2);
    assertThat(err.toString()).contains("there is no point 2 of machine m", "NO_SUCH_POINT");

    String[] retain = {"retain", "--keep-last", "1", "--from", repository, "--json"};
    assertThat(run(with(retain, "--dry-run"))).isZero();
    List<JsonNode> lines = lines();
    assertThat(lines.getFirst().path("points").toString()).isEqualTo("[1,3]");
    assertThat(lines.getFirst().path("keptPoints").asInt()).isEqualTo(1);
    assertThat(lines.getLast().path("dryRun").asBoolean()).isTrue();
    assertThat(lines.getLast().path("atMostBytes").asLong())
        .isGreaterThanOrEqualTo(lines.getLast().path("atLeastBytes").asLong());
    assertThat(run(retain)).isZero();
    assertThat(lines().getLast().path("deletedPoints").asInt()).isEqualTo(2);
    assertThat(lines().getLast().has("freedBytes")).isTrue();
    assertThat(run(retain)).isZero();
    assertThat(lines()).hasSize(1);
    assertThat(run("verify", "--data", "--from", repository)).isZero();

    assertThat(run("delete", "--machine", "m", "--all", "--from", repository)).isZero();
    assertThat(run("points", "--from", repository)).isZero();
    assertThat(out.toString()).contains("no restore points");
  }

  @Test
  void nothingIsMadeARepositoryByDeletingFromIt() {
    Path empty = folder.resolve("empty");
    assertThat(run("delete", "--machine", "m", "--all", "--from", empty.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("NOT_A_REPOSITORY");
    assertThat(empty).doesNotExist();
    assertThat(run("delete", "--machine", "m", "--all", "--from", folder.toString())).isEqualTo(2);
    assertThat(folder).isEmptyDirectory();
  }

  private List<JsonNode> lines() throws IOException {
    List<JsonNode> lines = new ArrayList<>();
    for (String line : out.toString().lines().toList()) {
      lines.add(new ObjectMapper().readTree(line));
    }
    return lines;
  }

  @Test
  void whatVerifyFindsDamagedIsHealedByTheNextBackup() throws Exception {
    String disk = Files.write(folder.resolve("d.img"), new byte[] {1, 2, 3}).toString();
    Path repository = folder.resolve("r");
    String[] backup = {"backup", disk, "--machine", "m", "--to", repository.toString()};
    assertThat(run(backup)).isZero();
    flip(point(repository), 4096 + 129); // in the payload of the first slot

    assertThat(run("verify", "--data", "--from", repository.toString())).isEqualTo(2);
    assertThat(out.toString())
        .contains("m, point 1: damaged", "damaged: disk d.img, offset 0, 3 bytes");
    assertThat(run("verify", "--data", "--json", "--from", repository.toString())).isEqualTo(2);
    assertThat(out.toString())
        .contains("\"damagedBlocks\":[{\"disk\":\"d.img\",\"offset\":0,\"length\":3,\"block\":\"");
    String[] restore = {"restore", "--machine", "m", "--from", repository.toString()};
    Path target = folder.resolve("t.img");
    assertThat(run(with(restore, target.toString()))).isEqualTo(2);
    assertThat(target).doesNotExist();
    assertThat(run(with(restore, "--tolerant", target.toString()))).isEqualTo(2);
    assertThat(out.toString()).contains("NOT WHOLE", "disk d.img, offset 0, 3 bytes");
    assertThat(target).hasBinaryContent(new byte[3]);
    assertThat(run(with(restore, "--tolerant", "--json", "--overwrite", target.toString())))
        .isEqualTo(2);
    assertThat(out.toString())
        .contains(
            "\"status\":\"failed\"",
            "\"badBytes\":3,\"badRanges\":[{\"disk\":\"d.img\",\"offset\":0,\"length\":3}]");
    assertThat(run(backup)).isZero();
    assertThat(run("verify", "--data", "--from", repository.toString())).isZero();
    assertThat(out.toString()).contains("m, point 1: sound", "m, point 2: sound");
  }

  private static String[] with(String[] command, String... more) {
    return Stream.concat(Arrays.stream(command), Arrays.stream(more)).toArray(String[]::new);
  }

  @Test
  void aPointThatCannotBeReadIsListedAsDamaged() throws Exception {
    String disk = Files.write(folder.resolve("d.img"), new byte[] {1, 2, 3}).toString();
    Path repository = folder.resolve("r");
    assertThat(run("backup", disk, "--machine", "m", "--to", repository.toString())).isZero();
    Path point = point(repository);
    flip(point, 2048); // the superblock's copy of the footer
    flip(point, Files.size(point) - 4096);

    assertThat(run("points", "--from", repository.toString())).isEqualTo(1);
    assertThat(out.toString())
        .contains("damaged", "mover verify says why", "1 point can't be read");
    assertThat(run("points", "--json", "--from", repository.toString())).isEqualTo(1);
    JsonNode listed = new ObjectMapper().readTree(out.toString());
    assertThat(listed.path("readable").asBoolean(true)).isFalse();
    assertThat(listed.path("machine").asText()).isEqualTo("m");
    assertThat(listed.path("point").asInt()).isEqualTo(1);
  }

  private static Path point(Path repository) throws IOException {
    try (Stream<Path> files = Files.list(repository.resolve("machines/m"))) {
      return files.filter(f -> f.toString().endsWith(".mbf")).findFirst().orElseThrow();
    }
  }

  private static void flip(Path file, long at) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(at);
      int before = bytes.read();
      bytes.seek(at);
      bytes.write(before ^ 0x40);
      bytes.getFD().sync();
    }
  }
}
