package dev.mover.deploy.bench;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.deploy.bench.BenchPlan.Place;
import dev.mover.deploy.host.Cleanup;
import dev.mover.deploy.host.ScratchExtent;
import dev.mover.deploy.text.Amounts;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Measures the mover against bare loops over the same image, place by place. Everything that is
 * measured runs in child processes that live from the first round to the last, one for each loop,
 * one for embedded backups, one proxy and one repository: so in every round all have the same age.
 */
public final class Bench {
  private final BenchPlan plan;
  private final PrintWriter err;

  /**
   * Measures nothing yet.
   *
   * @param err gets a line for everything that was measured, as it comes
   */
  public Bench(BenchPlan plan, PrintWriter err) {
    this.plan = plan;
    this.err = err;
  }

  /** Runs it all and leaves nothing behind; the report says whether the promises were kept. */
  public BenchReport run() throws IOException {
    try (Cleanup cleanup = new Cleanup(err, "bench")) {
      Path work = workFolder(cleanup);
      Path image = plan.image().isPresent() ? plan.image().get() : makeImage(work);
      BenchReport report = new BenchReport(image, Files.size(image));
      for (Place place : plan.places()) {
        measure(place, image, Files.createDirectory(work.resolve(place.name())), report);
      }
      return report;
    }
  }

  private void measure(Place place, Path image, Path work, BenchReport report) throws IOException {
    try (Cleanup cleanup = new Cleanup(err, "bench")) {
      Path folder = work;
      if (place == Place.XFS) {
        // Room for what the loops and two machines keep, and a whole restore.
        long extentBytes = 4 * Files.size(image) + (4L << 30);
        ScratchExtent extent = ScratchExtent.open(work, extentBytes, cleanup);
        if (!extent.xfs()) {
          err.println("SKIPPED: XFS, as it would lie " + extent.says());
          return;
        }
        folder = extent.directory();
        Files.createDirectory(folder);
      }
      report.add(new PlaceRun(place, image, folder, plan, err, cleanup).run());
    } finally {
      Folders.remove(work);
    }
  }

  private Path workFolder(Cleanup cleanup) throws IOException {
    Path parent = plan.directory();
    if (!Files.isDirectory(parent) || !Files.isWritable(parent)) {
      throw new InputException(
          ErrorCode.BAD_USAGE,
          parent + " is not a directory one can write to; name another with --dir");
    }
    Path work = Files.createTempDirectory(parent, "mover-bench-");
    cleanup.add("remove " + work, () -> Folders.remove(work));
    return work;
  }

  private Path makeImage(Path work) throws IOException {
    Path image = work.resolve("image.raw");
    long start = System.nanoTime();
    long dataBytes =
        BenchImage.write(
            image, plan.imageBytes(), plan.seed(), Runtime.getRuntime().availableProcessors());
    err.printf(
        "made an image of %s with %s of files in %s%n",
        Amounts.bytes(plan.imageBytes()),
        Amounts.bytes(dataBytes),
        Amounts.time(Duration.ofNanos(System.nanoTime() - start)));
    return image;
  }
}
