package dev.mover.deploy.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.api.status.Status;
import dev.mover.deploy.daemon.HttpCaller;
import dev.mover.deploy.wiring.RepositoryPlace;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "submit",
    description =
        "Queues a backup of one machine's disks and prints the job's id. Paths are those of the"
            + " proxy's host; relative ones are taken from here.")
final class JobsSubmitCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private BackupOptions what = new BackupOptions();
  @Mixin private ProxyOption proxy = new ProxyOption();

  @Parameters(
      arity = "1..*",
      paramLabel = "SOURCE",
      description = "Raw disk image or block device; 'disk=path' names the disk.")
  private List<String> sources = List.of();

  @Option(
      names = "--to",
      required = true,
      paramLabel = "REPO",
      description = "Directory on the proxy's host, or mover://HOST[:PORT].")
  private String to = "";

  @Option(
      names = "--slots",
      paramLabel = "N",
      description = "Most disks of this job at once (default: all the proxy has slots for).")
  private @Nullable Integer slots;

  @Option(names = "--watch", description = "Stay, show progress, and exit as the job ends.")
  private boolean watch;

  @Override
  public Integer call() {
    HttpCaller caller = proxy.caller();
    JsonNode job = caller.post(ProxyOption.jobs(), order().toString());
    String id = job.path("id").asText();
    if (watch) {
      return new JobWatch(spec, common.json()).follow(caller, id);
    }
    spec.commandLine().getOut().println(common.json() ? job : id);
    return Status.SUCCESS.exitCode();
  }

  private ObjectNode order() {
    ObjectNode order =
        JsonNodeFactory.instance
            .objectNode()
            .put("machine", what.machine().value())
            .put("to", place())
            .put("blockSize", what.blockSize().label())
            .put("compression", what.compression().name().toLowerCase(Locale.ROOT));
    if (slots != null) {
      order.put("slots", slots);
    }
    if (what.raw()) {
      order.put("raw", true);
    }
    ArrayNode disks = order.putArray("disks");
    for (SourceArgument source : SourceArgument.parseAll(sources)) {
      disks.addObject().put("name", source.disk().value()).put("path", absolute(source.path()));
    }
    return order;
  }

  private String place() {
    return switch (RepositoryPlace.parse(to)) {
      case RepositoryPlace.Daemon daemon -> daemon.address().toString();
      case RepositoryPlace.Directory directory -> absolute(directory.path());
    };
  }

  private static String absolute(Path path) {
    return path.toAbsolutePath().normalize().toString();
  }
}
