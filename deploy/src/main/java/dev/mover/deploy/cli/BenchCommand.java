package dev.mover.deploy.cli;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.deploy.bench.Bench;
import dev.mover.deploy.bench.BenchPlan;
import dev.mover.deploy.bench.BenchReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "bench",
    description =
        "Measures what this host gives to bare loops (read, hash, pack, write on all cores) and what"
            + " the mover makes of it: backup in one process and over TCP, second run, second"
            + " machine, restore, 1 to 6 tasks. Every loop and every side of the mover is a process"
            + " of its own that lives through all rounds; the first round is shown apart.",
    footer = {
      "",
      "Takes about a minute a round and place for 4 GB of data, and room for three times the data.",
      "As root with xfsprogs it measures on a loop-mounted XFS as well, where equal blocks are"
          + " shared.",
      "Exit code 1 when a promise (see docs/benchmarks.md) was missed.",
      "",
      "Examples:",
      "  mover bench                               a made-up image with 2 GB of files",
      "  mover bench disk.img --dir /backup/tmp    your disk on your storage",
      "  mover bench --on directory --tasks 6 --json"
    })
final class BenchCommand implements Callable<Integer> {
  private static final int MOST_GIB = 1024;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CommonOptions common = new CommonOptions();

  @Parameters(
      arity = "0..1",
      paramLabel = "IMAGE",
      description = "Raw disk image to read (default: one is made).")
  private @Nullable Path image;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      defaultValue = "/var/tmp",
      description = "Where to work, in a folder of its own (default: ${DEFAULT-VALUE}).")
  private Path directory = Path.of("/var/tmp");

  @Option(
      names = "--size",
      paramLabel = "GIB",
      defaultValue = "4",
      description =
          "Size of an image that is made; half of it is data (default: ${DEFAULT-VALUE}).")
  private int sizeGib;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of an image that is made (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Rounds after the cold one, 3 to 100 (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--tasks",
      paramLabel = "N",
      split = ",",
      description = "Measure these as well as 1: any of 2, 4, 6, or 0 for none (default: 2,4,6).")
  private List<Integer> tasks = BenchPlan.TASKS;

  @Option(
      names = "--on",
      paramLabel = "PLACE",
      split = ",",
      description = "directory, xfs (default: both).")
  private List<BenchPlan.Place> places = List.of(BenchPlan.Place.values());

  @Override
  public Integer call() throws IOException {
    check();
    PrintWriter out = spec.commandLine().getOut();
    BenchReport report = new Bench(plan(), spec.commandLine().getErr()).run();
    if (common.json()) {
      out.println(report.json());
    } else {
      report.lines().forEach(out::println);
    }
    return report.status().exitCode();
  }

  private BenchPlan plan() {
    return new BenchPlan(
        Optional.ofNullable(image),
        directory,
        (long) sizeGib << 30,
        seed,
        rounds,
        tasks.stream().filter(n -> n > 0).toList(),
        places);
  }

  private void check() {
    if (rounds < BenchPlan.LEAST_WARM_ROUNDS || rounds > 100) {
      throw usage("--rounds takes 3 to 100, not " + rounds);
    }
    if (sizeGib < 1 || sizeGib > MOST_GIB) {
      throw usage("--size takes 1 to " + MOST_GIB + ", not " + sizeGib);
    }
    for (int n : tasks) {
      if (n != 0 && !BenchPlan.TASKS.contains(n)) {
        throw usage("--tasks takes any of " + BenchPlan.TASKS + ", not " + n);
      }
    }
    if (image != null && !Files.isRegularFile(image)) {
      throw usage("there is no image " + image + "; bench reads a raw image file");
    }
  }

  private static InputException usage(String message) {
    return new InputException(ErrorCode.BAD_USAGE, message);
  }
}
