package dev.mover.deploy.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mover.api.status.Status;
import dev.mover.deploy.daemon.JobState;
import dev.mover.deploy.text.Table;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "list",
    description = "Lists the jobs that run, then those that wait, and why they do.")
class JobsListCommand implements Callable<Integer> {
  private static final int PAGE = 200;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private ProxyOption proxy = new ProxyOption();

  private final boolean ended;

  JobsListCommand() {
    this(false);
  }

  JobsListCommand(boolean ended) {
    this.ended = ended;
  }

  @Command(
      name = "history",
      description = "Lists the jobs that ended, the newest first; the proxy keeps the last 200.")
  static final class History extends JobsListCommand {
    History() {
      super(true);
    }
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    List<JsonNode> jobs = JobPages.all(proxy.caller(), PAGE, this::belongs);
    if (common.json()) {
      jobs.forEach(out::println);
    } else if (jobs.isEmpty()) {
      out.println(ended ? "no job has ended" : "no jobs");
    } else {
      show(jobs, out);
    }
    return Status.SUCCESS.exitCode();
  }

  private boolean belongs(JsonNode job) {
    return JobState.named(job.path("state").asText()).isEnded() == ended;
  }

  private void show(List<JsonNode> jobs, PrintWriter out) {
    Table table =
        ended
            ? new Table("ID", "STATE", "MACHINE", ">POINT", "ENDED", "WHY")
            : new Table("ID", "STATE", "MACHINE", ">DONE", "TO", "DETAIL");
    for (JsonNode job : jobs) {
      table.row(ended ? endedRow(job) : liveRow(job));
    }
    table.lines().forEach(out::println);
  }

  private static String[] endedRow(JsonNode job) {
    return new String[] {
      job.path("id").asText(),
      job.path("state").asText(),
      Failures.oneLine(job.path("machine").asText()),
      job.path("point").asText("-"),
      JobText.moment(job.path("endedAt").asText()),
      Failures.oneLine(job.path("error").path("message").asText())
    };
  }

  private static String[] liveRow(JsonNode job) {
    JsonNode progress = job.path("progress");
    String detail =
        job.has("queuePosition") ? JobText.waiting(job) : progress.path("detail").asText();
    return new String[] {
      job.path("id").asText(),
      job.path("state").asText(),
      Failures.oneLine(job.path("machine").asText()),
      progress.has("percent") ? progress.path("percent").asText() + " %" : "-",
      Failures.oneLine(job.path("to").asText()),
      Failures.oneLine(detail)
    };
  }
}
