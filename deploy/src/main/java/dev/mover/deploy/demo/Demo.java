package dev.mover.deploy.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.api.status.Status;
import dev.mover.deploy.host.Cleanup;
import dev.mover.deploy.host.MoverProcess;
import dev.mover.deploy.host.ScratchExtent;
import dev.mover.deploy.text.Amounts;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The story of the demo, step by step. Everything is done by real {@code mover} processes: one
 * repository daemon, one process a backup, restore or verification, over TCP.
 */
public final class Demo {
  private static final int TASK_SLOTS = 3;

  /** Room for all backup files; sparse, so it costs what is written. */
  private static final long EXTENT_BYTES = 3L << 30;

  private static final long OS_SEED = 1;
  private static final long UPDATE_SEED = 2;
  private static final List<String> MACHINES = List.of("web", "db");
  private static final List<String> DISKS = List.of("system", "data");

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean json;
  private final DemoReport report = new DemoReport();
  private final DemoDisks disks = new DemoDisks();
  private final long startedNs = System.nanoTime();

  public Demo(PrintWriter out, PrintWriter err, boolean json) {
    this.out = out;
    this.err = err;
    this.json = json;
  }

  /**
   * Runs in a new folder below {@code parent} and leaves nothing behind.
   *
   * @throws MoverException when a step did not do what it should: which and why
   */
  public Status run(Path parent) {
    try (Cleanup cleanup = new Cleanup(err, "demo")) {
      Path work = workFolder(parent, cleanup);
      play(work, cleanup);
      say("Cleaning up.");
    } catch (IOException e) {
      throw MoverException.of(
          ErrorCode.TARGET_WRITE_FAILED,
          Side.CLI,
          "working in %s failed: %s; free space there, or name another directory with --dir"
              .formatted(parent, e.getMessage()),
          e);
    }
    if (json) {
      out.println(report.json());
    }
    say(
        "All well, in %s."
            .formatted(Amounts.time(Duration.ofNanos(System.nanoTime() - startedNs))));
    return Status.SUCCESS;
  }

  private static Path workFolder(Path parent, Cleanup cleanup) throws IOException {
    if (!Files.isDirectory(parent) || !Files.isWritable(parent)) {
      throw new InputException(
          ErrorCode.BAD_USAGE,
          parent + " is not a directory one can write to; name another with --dir");
    }
    Path work = Files.createTempDirectory(parent, "mover-demo-");
    cleanup.add("remove " + work, () -> removeAll(work));
    return work;
  }

  private void play(Path work, Cleanup cleanup) throws IOException {
    makeDisks(work);
    ScratchExtent extent = ScratchExtent.open(work, EXTENT_BYTES, cleanup);
    Path config = work.resolve("repository.yaml");
    Files.writeString(
        config,
        "path: '%s'%nlisten: 127.0.0.1:0%nhttp: 127.0.0.1:0%nmaxConcurrentTasks: %d%n"
            .formatted(extent.directory().toString().replace("'", "''"), TASK_SLOTS));
    MoverProcess daemon =
        MoverProcess.start(work, cleanup, "repository", "--config", config.toString());
    JsonNode ready = daemon.ready();
    String address = ready.path("listening").asText();
    say("The repository lies %s.".formatted(extent.says()));
    say(
        "Its daemon is a process of its own at %s, with %d task slots."
            .formatted(address, TASK_SLOTS));
    say("");

    firstPoints(work, cleanup, address);
    String digest = Comparison.sha256(disk(work, "web", "system"));
    changeDisks(work);
    secondPoints(work, cleanup, address);
    restoreAll(work, cleanup, address);
    restoreOld(work, cleanup, address, digest);
    verify(work, cleanup, address);
    report.health(health(ready.path("http").asText()));
    if (report.mostTasks() > TASK_SLOTS) {
      throw MoverException.of(
          ErrorCode.INTERNAL,
          Side.REPOSITORY,
          "%d tasks ran at once in %d task slots".formatted(report.mostTasks(), TASK_SLOTS));
    }
    say("");
    report.lines().forEach(this::say);
    say("");
  }

  private void makeDisks(Path work) throws IOException {
    say(
        "Making two machines, web and db: each a system disk of %s and a data disk of %s."
            .formatted(Amounts.bytes(DemoDisks.SYSTEM_BYTES), Amounts.bytes(DemoDisks.DATA_BYTES)));
    say("Both have the same operating system; their data has nothing in common.");
    for (String machine : MACHINES) {
      disks.writeSystem(disk(work, machine, "system"), OS_SEED, seed(machine, 1));
      disks.writeData(disk(work, machine, "data"), seed(machine, 2));
    }
  }

  private void firstPoints(Path work, Cleanup cleanup, String address) throws IOException {
    for (String machine : MACHINES) {
      JsonNode result = backup(work, cleanup, address, machine).finish().getLast();
      report.backup(result);
      report.took(time(result));
      say("First backup of %s: %s".formatted(machine, summary(result)));
    }
  }

  private void changeDisks(Path work) throws IOException {
    say("Both machines install one update and write some data.");
    for (String machine : MACHINES) {
      disks.updateSystem(disk(work, machine, "system"), UPDATE_SEED, seed(machine, 3));
      disks.updateData(disk(work, machine, "data"), seed(machine, 4));
    }
  }

  /** Both machines at once: four disks want three task slots. */
  private void secondPoints(Path work, Cleanup cleanup, String address) throws IOException {
    List<MoverProcess> running = new ArrayList<>();
    for (String machine : MACHINES) {
      running.add(backup(work, cleanup, address, machine));
    }
    Duration longest = Duration.ZERO;
    for (int i = 0; i < running.size(); i++) {
      JsonNode result = running.get(i).finish().getLast();
      report.backup(result);
      longest = longest.compareTo(time(result)) < 0 ? time(result) : longest;
      say("Second backup of %s: %s".formatted(MACHINES.get(i), summary(result)));
    }
    report.took(longest);
  }

  private void restoreAll(Path work, Cleanup cleanup, String address) throws IOException {
    for (String machine : MACHINES) {
      for (String disk : DISKS) {
        Path target = work.resolve("restored-" + machine + "-" + disk + ".img");
        restore(work, cleanup, address, machine, "latest", disk, target);
        Comparison.mustEqual(disk(work, machine, disk), target);
        report.compared();
        Files.delete(target);
      }
    }
    say("Restored all four disks as they are now: equal to the sources, byte by byte.");
  }

  private void restoreOld(Path work, Cleanup cleanup, String address, String digest)
      throws IOException {
    Path target = work.resolve("restored-old.img");
    restore(work, cleanup, address, "web", "1", "system", target);
    if (!Comparison.sha256(target).equals(digest)) {
      throw Comparison.differs(
          "web's system disk of point 1 is not what it was before the changes");
    }
    report.compared();
    Files.delete(target);
    say("Restored web's system disk of its first point: equal to what it was before the changes.");
  }

  private void verify(Path work, Cleanup cleanup, String address) throws IOException {
    List<JsonNode> verdicts =
        MoverProcess.start(work, cleanup, "verify", "--data", "--from", address).finish();
    boolean sound =
        verdicts.stream().allMatch(verdict -> verdict.path("outcome").asText().equals("sound"));
    if (verdicts.size() != 2 * MACHINES.size() || !sound) {
      throw MoverException.of(
          ErrorCode.BLOCK_DAMAGED, Side.REPOSITORY, "verify found: " + verdicts);
    }
    say("Verified all %d points, every block by its id: all sound.".formatted(verdicts.size()));
  }

  private static MoverProcess backup(Path work, Cleanup cleanup, String address, String machine)
      throws IOException {
    return MoverProcess.start(
        work,
        cleanup,
        "backup",
        "system=" + disk(work, machine, "system"),
        "data=" + disk(work, machine, "data"),
        "--machine",
        machine,
        "--to",
        address);
  }

  private static void restore(
      Path work,
      Cleanup cleanup,
      String address,
      String machine,
      String point,
      String disk,
      Path target)
      throws IOException {
    MoverProcess.start(
            work,
            cleanup,
            "restore",
            "--machine",
            machine,
            "--point",
            point,
            "--disk",
            disk,
            "--from",
            address,
            target.toString())
        .finish();
  }

  private static String summary(JsonNode result) {
    return "read %s, %s of it known already, sent %s, stored %s in %s"
        .formatted(
            Amounts.bytes(result.path("readBytes").asLong()),
            Amounts.bytes(result.path("knownBytes").asLong()),
            Amounts.bytes(result.path("sentBytes").asLong()),
            Amounts.bytes(result.path("storedBytes").asLong()),
            Amounts.time(time(result)));
  }

  private static Duration time(JsonNode result) {
    return Duration.ofMillis(result.path("totalMs").asLong());
  }

  private static JsonNode health(String http) throws IOException {
    try (InputStream in = URI.create(http).toURL().openStream()) {
      return new ObjectMapper().readTree(in);
    }
  }

  private static Path disk(Path work, String machine, String disk) {
    return work.resolve(machine + "-" + disk + ".img");
  }

  private static long seed(String machine, int step) {
    return 1000L * (1 + MACHINES.indexOf(machine)) + step;
  }

  private void say(String sentence) {
    if (!json) {
      out.println(sentence);
    }
  }

  private static void removeAll(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
