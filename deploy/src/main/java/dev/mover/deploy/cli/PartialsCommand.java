package dev.mover.deploy.cli;

import dev.mover.api.point.Name;
import dev.mover.api.point.Partial;
import dev.mover.api.status.Status;
import dev.mover.deploy.daemon.PartialJson;
import dev.mover.deploy.text.Amounts;
import dev.mover.deploy.text.Table;
import dev.mover.deploy.wiring.RepositoryDoor;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.ProxyOptions;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "partials",
    description =
        "Lists what sessions left that have not committed, or removes it. A partial is no restore"
            + " point: the machine's next backup sends nothing again that is in it, and removes it.",
    footer = {
      "",
      "BEGUN and WRITTEN are local time, ON DISK what the file takes, parts that others share in"
          + " full. USED BY says whether a session of the machine is there, running or waited for;"
          + " a directory that another mover writes can't tell.",
      "",
      "Removing costs no restore point anything. It is refused while a session of the machine is"
          + " there. A daemon removes old ones by itself (partialDays).",
      "",
      "Examples:",
      "  mover partials --from /backup",
      "  mover partials --from mover://backup --json",
      "  mover partials --from mover://backup --remove web"
    })
final class PartialsCommand implements Callable<Integer> {
  /** Rows that are held back to find the columns' widths. */
  private static final int PAGE = 500;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private RepositoryOption from = new RepositoryOption();

  @Option(
      names = "--remove",
      paramLabel = "MACHINE",
      converter = Choices.OfName.class,
      description = "Removes this machine's partials and says which.")
  private @Nullable Name machine;

  @Override
  public Integer call() {
    Listing listing = new Listing(spec.commandLine().getOut(), common.json());
    Name doomed = machine;
    try (RepositoryDoor door =
            doomed == null
                ? RepositoryDoor.forReading(from.place())
                : RepositoryDoor.forRemoval(from.place());
        Proxy proxy = new Proxy(ProxyOptions.DEFAULT)) {
      if (doomed == null) {
        proxy.partials("", door.connector(), listing::add);
        listing.finish("no partials", "");
      } else {
        proxy.removePartials(doomed, door.connector(), listing::add);
        listing.finish("machine " + doomed + " has no partials", " removed");
      }
    }
    return Status.SUCCESS.exitCode();
  }

  /** Prints partials page by page, and what they come to. */
  private static final class Listing {
    private final PrintWriter out;
    private final boolean json;
    private Table page = newPage();
    private int rows;
    private long count;
    private long bytes;

    Listing(PrintWriter out, boolean json) {
      this.out = out;
      this.json = json;
    }

    private static Table newPage() {
      return new Table("MACHINE", "SESSION", "BEGUN", "WRITTEN", ">ON DISK", "USED BY");
    }

    void add(Partial p) {
      count++;
      bytes += p.occupiedBytes();
      if (json) {
        out.println(PartialJson.of(p));
        return;
      }
      boolean known = !p.begunAt().equals(Instant.EPOCH);
      page.row(
          p.machine().value(),
          known ? p.sessionId().toString() : "unknown",
          known ? Amounts.moment(p.begunAt()) : "unknown",
          Amounts.moment(p.writtenAt()),
          Amounts.bytes(p.occupiedBytes()),
          switch (p.use()) {
            case FREE -> "nobody";
            case SESSION -> "a session";
            case UNKNOWN -> "unknown";
          });
      if (++rows == PAGE) {
        print();
      }
    }

    private void print() {
      page.lines().forEach(out::println);
      page = newPage();
      rows = 0;
    }

    void finish(String none, String done) {
      if (json) {
        return;
      }
      if (count == 0) {
        out.println(none);
        return;
      }
      if (rows > 0) {
        print();
      }
      out.printf(
          "%d %s%s, %s%n", count, count == 1 ? "partial" : "partials", done, Amounts.bytes(bytes));
    }
  }
}
