package dev.mover.deploy.cli;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.point.Verdict;
import dev.mover.api.status.Status;
import dev.mover.deploy.wiring.RepositoryDoor;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.ProxyOptions;
import dev.mover.proxy.VerifyListener;
import dev.mover.transport.frame.Damage;
import dev.mover.transport.frame.VerdictFrame;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "verify",
    description =
        "Checks restore points: their structure (fast), or with --data every block by its id."
            + " Prints a verdict for each: sound, recovered (readable, but a redundant copy is"
            + " damaged) or damaged, and of a damaged one which parts of its disks. Where blocks are"
            + " damaged, points that were not asked for are searched for them too, and printed when"
            + " they are touched: shared blocks are one copy on disk.",
    footer = {
      "",
      "Exit code 2 when a point is damaged, 1 when one is recovered, 0 when all are sound.",
      "",
      "Examples:",
      "  mover verify --from /backup",
      "  mover verify --data --machine web --from mover://backup"
    })
final class VerifyCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private RepositoryOption from = new RepositoryOption();
  @Mixin private MachineFilter machine = new MachineFilter();

  @Option(names = "--data", description = "Read, unpack and hash every block.")
  private boolean data;

  @Option(
      names = "--point",
      paramLabel = "P",
      converter = Choices.OfSequence.class,
      description = "Only the point of this number; needs --machine.")
  private @Nullable Long point;

  @Override
  public Integer call() {
    if (point != null && !machine.isSet()) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "every machine has a point " + point + "; name one with --machine");
    }
    PrintWriter out = spec.commandLine().getOut();
    Verdicts verdicts = new Verdicts(out, common.json());
    try (RepositoryDoor door = RepositoryDoor.forReading(from.place());
        Proxy proxy = new Proxy(ProxyOptions.DEFAULT)) {
      proxy.verify(machine.name(), point == null ? 0 : point, data, door.connector(), verdicts);
    }
    return verdicts.finish().exitCode();
  }

  /** Prints verdicts as they come and counts them. */
  private static final class Verdicts implements VerifyListener {
    private final List<Damage> damage = new ArrayList<>();
    private final PrintWriter out;
    private final boolean json;
    private long count;
    private long recovered;
    private long damaged;
    private long blocks;

    Verdicts(PrintWriter out, boolean json) {
      this.out = out;
      this.json = json;
    }

    @Override
    public void damage(Damage more) {
      damage.add(more);
    }

    @Override
    public void verdict(VerdictFrame frame) {
      add(Objects.requireNonNull(frame.verdict(), "only the end has none"));
      damage.clear();
    }

    private void add(Verdict v) {
      count++;
      blocks += v.blocksChecked();
      switch (v.outcome()) {
        case SOUND -> {}
        case RECOVERED -> recovered++;
        case DAMAGED -> damaged++;
      }
      if (json) {
        out.println(JsonView.verdict(v, damage));
      } else {
        print(v);
      }
    }

    private void print(Verdict v) {
      out.printf(
          "%s, point %d: %s%s%n",
          v.machine(),
          v.sequence(),
          v.outcome().name().toLowerCase(Locale.ROOT),
          v.blocksChecked() > 0 ? ", " + v.blocksChecked() + " blocks read" : "");
      v.findings().forEach(f -> out.println("  " + Failures.oneLine(f)));
      long more = v.findingCount() - v.findings().size();
      if (more > 0) {
        out.println("  and " + more + " more findings");
      }
      new DamagedRanges(damage)
          .forEach(
              (disk, offset, length) ->
                  out.printf("  damaged: disk %s, offset %d, %d bytes%n", disk, offset, length));
    }

    Status finish() {
      if (!json) {
        out.println(
            count == 0
                ? "no restore points"
                : count
                    + (count == 1 ? " point" : " points")
                    + " checked"
                    + (blocks > 0 ? ", " + blocks + " blocks read" : "")
                    + ": "
                    + inAll());
      }
      if (damaged > 0) {
        return Status.FAILED;
      }
      return recovered > 0 ? Status.WARNING : Status.SUCCESS;
    }

    private String inAll() {
      return recovered + damaged == 0
          ? "all sound"
          : "%d sound, %d recovered, %d damaged"
              .formatted(count - recovered - damaged, recovered, damaged);
    }
  }
}
