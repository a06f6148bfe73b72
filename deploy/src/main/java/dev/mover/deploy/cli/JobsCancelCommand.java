package dev.mover.deploy.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mover.api.status.Status;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "cancel",
    description =
        "Cancels a job. One that runs ends soon after; what it stored is not sent again by the next"
            + " run. One that is committing its point may still end well.")
final class JobsCancelCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private ProxyOption proxy = new ProxyOption();

  @Parameters(paramLabel = "ID", description = "As 'submit' and 'list' print it.")
  private String id = "";

  @Override
  public Integer call() {
    JsonNode job = proxy.caller().delete(ProxyOption.job(id));
    spec.commandLine()
        .getOut()
        .println(
            common.json()
                ? job
                : job.path("state").asText().equals("cancelled")
                    ? "cancelled"
                    : "cancelling; 'mover jobs watch' waits for its end");
    return Status.SUCCESS.exitCode();
  }
}
