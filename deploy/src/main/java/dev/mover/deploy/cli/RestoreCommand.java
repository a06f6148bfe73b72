package dev.mover.deploy.cli;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.point.Name;
import dev.mover.api.status.Status;
import dev.mover.dedup.domain.DomainJson;
import dev.mover.dedup.domain.ReaderKeys;
import dev.mover.deploy.text.Amounts;
import dev.mover.deploy.wiring.RepositoryDoor;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.ProxyOptions;
import dev.mover.proxy.RestoreRequest;
import dev.mover.proxy.RestoreResult;
import java.io.PrintWriter;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.InstantSource;
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
    name = "restore",
    description =
        "Writes one disk of a restore point to a file (sparse) or block device. Every block is"
            + " checked by its id and the whole disk by its digest; a target that is too small or in"
            + " use is refused before anything is written.",
    footer = {
      "",
      "With --tolerant damaged blocks don't end the restore: they read as zeros (a hole in a file), are"
          + " listed, and the exit code is 2.",
      "",
      "Examples:",
      "  mover restore --machine web --from /backup web.img",
      "  mover restore --machine db --point 3 --disk data --from mover://backup /dev/vdc"
    })
final class RestoreCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private RepositoryOption from = new RepositoryOption();

  @Parameters(
      paramLabel = "TARGET",
      description = "File to create, or block device at least as large as the disk.")
  private String target = "";

  @Option(
      names = "--machine",
      required = true,
      paramLabel = "NAME",
      converter = Choices.OfName.class,
      description = "Whose disk.")
  private Name machine = new Name("unset");

  @Option(
      names = "--point",
      paramLabel = "P",
      converter = Choices.OfPoint.class,
      defaultValue = Choices.LATEST,
      description = "Number of the point, or latest (default: ${DEFAULT-VALUE}).")
  private Long point = 0L;

  @Option(
      names = "--disk",
      paramLabel = "NAME",
      converter = Choices.OfName.class,
      description = "Which disk; needed when the point has several.")
  private @Nullable Name disk;

  @Option(names = "--overwrite", description = "Write over an existing file that is not empty.")
  private boolean overwrite;

  @Option(
      names = "--tolerant",
      description = "Restore what can be read, list what can't, and exit with 2 if there is any.")
  private boolean tolerant;

  @Option(
      names = "--domain",
      paramLabel = "FILE",
      description = {
        "Domain file of an encrypted point; takes a password or key.",
        "A point that the domain did not seal is refused."
      })
  private @Nullable Path domain;

  @Mixin private UnlockOptions unlock = new UnlockOptions();

  @Override
  public Integer call() {
    if (domain == null && unlock.isGiven()) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "a password or key unlocks a domain file: name it with --domain");
    }
    Optional<ReaderKeys> keys =
        Optional.ofNullable(domain).map(file -> DomainJson.read(file).unlock(unlock.unlocking()));
    RestoreRequest request =
        new RestoreRequest(
            machine, point, Optional.ofNullable(disk), path(target), overwrite, tolerant, keys);
    RestoreResult result;
    try (RepositoryDoor door = RepositoryDoor.forReading(from.place());
        Proxy proxy = new Proxy(ProxyOptions.DEFAULT);
        ProgressView view =
            new ProgressView(
                ProgressView.Way.RESTORE,
                spec.commandLine().getErr(),
                ProgressView.onTerminal(),
                InstantSource.system())) {
      result = proxy.restore(request, door.connector(), ProgressView.listener(common.json(), view));
    }
    show(result);
    return (result.badBytes() == 0 ? Status.SUCCESS : Status.FAILED).exitCode();
  }

  private static Path path(String text) {
    try {
      if (!text.isEmpty()) {
        return Path.of(text);
      }
    } catch (InvalidPathException e) {
      // said below
    }
    throw new InputException(ErrorCode.BAD_USAGE, "target '" + text + "' is not a path");
  }

  private void show(RestoreResult r) {
    PrintWriter out = spec.commandLine().getOut();
    if (common.json()) {
      out.println(JsonView.restore(r));
      return;
    }
    out.printf(
        "machine %s, point %d, disk %s: %s restored to %s in %s, %s; "
            + (r.badBytes() == 0 ? "every block and the disk's digest checked" : "NOT WHOLE")
            + "%n",
        r.machine(),
        r.sequence(),
        r.disk(),
        Amounts.bytes(r.sizeBytes()),
        Failures.oneLine(target),
        Amounts.time(r.total()),
        Amounts.rate(r.sizeBytes(), r.total()));
    out.printf(
        "  received %s, written %s%n",
        Amounts.bytes(r.receivedBytes()), Amounts.bytes(r.writtenBytes()));
    if (r.badBytes() > 0) {
      showBad(out, r);
    }
  }

  private static void showBad(PrintWriter out, RestoreResult r) {
    out.printf("  %d bytes are damaged in the repository and read as zeros now:%n", r.badBytes());
    r.badRanges()
        .forEach(
            bad ->
                out.printf(
                    "  disk %s, offset %d, %d bytes%n", r.disk(), bad.offset(), bad.length()));
    if (r.badRanges().size() == RestoreResult.MOST_RANGES) {
      out.println("  and more");
    }
  }
}
