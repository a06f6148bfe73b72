package dev.mover.deploy.cli;

import dev.mover.api.point.RestorePoint;
import dev.mover.api.status.Status;
import dev.mover.deploy.text.Amounts;
import dev.mover.deploy.text.Table;
import dev.mover.deploy.wiring.RepositoryDoor;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.ProxyOptions;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "points",
    description =
        "Lists restore points, by machine and number. Works beside a running daemon and on a"
            + " read-only copy of a repository.",
    footer = {
      "",
      "CREATED is local time, SIZE the size of the disks, FILE the length of the backup file, NEW"
          + " what this point added, CHECKED when every block of it was last read: only a daemon"
          + " remembers that. Where the file system clones, FILE counts shared parts in full;"
          + " elsewhere it leaves out what lies in earlier files. A point whose file can't be read is"
          + " listed as damaged, and the exit code is 1 then.",
      "",
      "Examples:",
      "  mover points --from /backup",
      "  mover points --machine web --from mover://backup --json"
    })
final class PointsCommand implements Callable<Integer> {
  /** Rows that are held back to find the columns' widths; a listing may have a million. */
  private static final int PAGE = 500;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private RepositoryOption from = new RepositoryOption();
  @Mixin private MachineFilter machine = new MachineFilter();

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    Listing listing = new Listing(out, machine.isSet() ? " of machine " + machine.name() : "");
    try (RepositoryDoor door = RepositoryDoor.forReading(from.place());
        Proxy proxy = new Proxy(ProxyOptions.DEFAULT)) {
      proxy.points(
          machine.name(),
          door.connector(),
          common.json() ? p -> out.println(listing.counted(p)) : listing::add);
    }
    if (!common.json()) {
      listing.finish();
    }
    return (listing.unreadable == 0 ? Status.SUCCESS : Status.WARNING).exitCode();
  }

  /** Prints points page by page. */
  private static final class Listing {
    private final PrintWriter out;
    private final String whose;
    private Table page = newPage();
    private int rows;
    private long total;
    private long unreadable;

    Listing(PrintWriter out, String whose) {
      this.out = out;
      this.whose = whose;
    }

    private static Table newPage() {
      return new Table(
          "MACHINE", ">POINT", "CREATED", ">SIZE", ">FILE", ">NEW", "CHECKED", "DISKS");
    }

    String counted(RestorePoint p) {
      unreadable += p.isReadable() ? 0 : 1;
      return JsonView.point(p);
    }

    void add(RestorePoint p) {
      if (p.isReadable()) {
        page.row(
            p.machine().value(),
            Long.toString(p.sequence()),
            Amounts.moment(p.createdAt()),
            Amounts.bytes(p.sizeBytes()),
            Amounts.bytes(p.fileBytes()),
            Amounts.bytes(p.newBytes()),
            p.checkedAt().equals(Instant.EPOCH) ? "never" : Amounts.moment(p.checkedAt()),
            p.disks().stream().map(d -> d.spec().name().value()).collect(Collectors.joining(", ")));
      } else {
        unreadable++;
        page.row(
            p.machine().value(),
            Long.toString(p.sequence()),
            "damaged",
            "",
            Amounts.bytes(p.fileBytes()),
            "",
            "",
            "can't be read; mover verify says why");
      }
      total++;
      if (++rows == PAGE) {
        print();
      }
    }

    private void print() {
      page.lines().forEach(out::println);
      page = newPage();
      rows = 0;
    }

    void finish() {
      if (rows > 0) {
        print();
      }
      if (total == 0) {
        out.println("no restore points" + whose);
      }
      if (unreadable > 0) {
        out.println(unreadable + (unreadable == 1 ? " point" : " points") + " can't be read");
      }
    }
  }
}
