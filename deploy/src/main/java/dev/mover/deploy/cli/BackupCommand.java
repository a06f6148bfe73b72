package dev.mover.deploy.cli;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.source.DiskSource;
import dev.mover.dedup.domain.DomainJson;
import dev.mover.dedup.domain.WriterKeys;
import dev.mover.deploy.host.Interruption;
import dev.mover.deploy.text.Amounts;
import dev.mover.deploy.wiring.RepositoryDoor;
import dev.mover.proxy.BackupRequest;
import dev.mover.proxy.BackupResult;
import dev.mover.proxy.Cancellation;
import dev.mover.proxy.LinkRule;
import dev.mover.proxy.Progress;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.ProxyOptions;
import dev.mover.proxy.source.DirectSource;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
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
    name = "backup",
    description =
        "Backs up the disks of one machine as a new restore point. Every point is a full image to"
            + " whoever reads it; what the repository already has is not sent again.",
    footer = {
      "",
      "Compression: none, fast (zstd 1), optimal (zstd 2), high (zstd 3), extreme (zstd 9).",
      "",
      "The disk should not be written to meanwhile: use an LVM, Btrfs or hypervisor snapshot.",
      "",
      "Examples:",
      "  mover backup disk.img --machine web --to /backup",
      "  mover backup root=/dev/vda data=/dev/vdb --machine db --to mover://backup.example.org",
      "  mover backup *.img --machine big --to 'mover://[2001:db8::7]:7700' --slots 2 --json"
    })
final class BackupCommand implements Callable<Integer> {
  /** What it takes to tell the repository, which then keeps what it has and needs nobody. */
  private static final Duration ENDS_WITHIN = Duration.ofSeconds(5);

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private BackupOptions what = new BackupOptions();

  @Parameters(
      arity = "1..*",
      paramLabel = "SOURCE",
      description = {
        "Raw disk image or block device.",
        "'disk=path' names the disk; without it the disk is called like the file."
      })
  private List<String> sources = List.of();

  @Option(
      names = "--to",
      required = true,
      paramLabel = "REPO",
      description = {
        "Directory (made a repository when empty or missing),",
        "or mover://HOST[:PORT]."
      })
  private String to = "";

  @Option(
      names = "--slots",
      paramLabel = "N",
      description = "Most disks at once, 1 to 64 (default: ${DEFAULT-VALUE}).",
      defaultValue = "4")
  private int slots;

  @Option(
      names = "--limit",
      paramLabel = "MBPS",
      description = "Most MB/s (10^6 bytes) to send, 1 to 1000000 (default: no limit).")
  private int limit;

  @Option(
      names = "--domain",
      paramLabel = "FILE",
      description = {
        "Encrypt here, in the key domain of this file; needs no password.",
        "The repository never sees a key."
      })
  private @Nullable Path domain;

  @Override
  public Integer call() {
    List<LinkRule> rules =
        spec.commandLine().getParseResult().hasMatchedOption("--limit")
            ? List.of(LinkRule.always(LinkRule.EVERY, checkedLimit()))
            : List.of();
    if (slots < 1 || slots > ProxyOptions.MAX_SLOTS) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "--slots takes 1 to " + ProxyOptions.MAX_SLOTS + ", not " + slots);
    }
    Optional<WriterKeys> keys =
        Optional.ofNullable(domain).map(file -> DomainJson.read(file).writerKeys());
    List<SourceArgument> named = SourceArgument.parseAll(sources);
    PrintWriter err = spec.commandLine().getErr();
    // The sources first: a mistyped path must not leave an empty repository behind.
    List<DiskSource> disks = open(named);
    Cancellation cancellation = new Cancellation();
    BackupResult result;
    try (Interruption _ = new Interruption(cancellation::cancel, ENDS_WITHIN);
        RepositoryDoor door = openDoor(disks);
        Proxy proxy = new Proxy(ProxyOptions.DEFAULT.withSlots(slots).withLinkRules(rules));
        ProgressView view =
            new ProgressView(
                ProgressView.Way.BACKUP, err, ProgressView.onTerminal(), InstantSource.system())) {
      Progress.Listener listener = ProgressView.listener(common.json(), view);
      result =
          proxy.backup(
              new BackupRequest(
                  what.machine(), disks, what.blockSize(), what.compression(), disks.size(), keys),
              door.connector(),
              listener,
              cancellation);
    }
    show(result);
    return result.status().exitCode();
  }

  private int checkedLimit() {
    if (limit < 1 || limit > LinkRule.MOST_MBPS) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "--limit takes 1 to " + LinkRule.MOST_MBPS + ", not " + limit);
    }
    return limit;
  }

  private List<DiskSource> open(List<SourceArgument> named) {
    List<DiskSource> open = new ArrayList<>();
    try {
      for (SourceArgument source : named) {
        open.add(DirectSource.open(source.disk(), source.path(), what.raw()));
      }
      return open;
    } catch (RuntimeException e) {
      open.forEach(DiskSource::close);
      throw e;
    }
  }

  /** From here on the run closes the sources; if there is no run, we do. */
  private RepositoryDoor openDoor(List<DiskSource> disks) {
    try {
      return RepositoryDoor.forBackup(to, slots);
    } catch (RuntimeException e) {
      disks.forEach(DiskSource::close);
      throw e;
    }
  }

  private void show(BackupResult r) {
    PrintWriter out = spec.commandLine().getOut();
    if (common.json()) {
      out.println(JsonView.backup(r));
      return;
    }
    r.warnings()
        .forEach(
            w -> spec.commandLine().getErr().println("mover: warning: " + Failures.oneLine(w)));
    out.printf(
        "machine %s, point %d: %s of disk in %s, %s%n",
        r.machine(),
        r.sequence(),
        Amounts.bytes(r.sizeBytes()),
        Amounts.time(r.total()),
        Amounts.rate(r.sizeBytes(), r.total()));
    out.printf(
        "  read %s, zero %s, known %s, sent %s, stored %s new, linked %s%n",
        Amounts.bytes(r.readBytes()),
        Amounts.bytes(r.zeroBytes()),
        Amounts.bytes(r.knownBytes()),
        Amounts.bytes(r.sentBytes()),
        Amounts.bytes(r.storedBytes()),
        Amounts.bytes(r.linkedBytes()));
    ModeText.of(r.repositoryMode()).ifPresent(line -> out.println("  " + line));
    LoadText.of(r).forEach(line -> out.println("  " + line));
  }
}
