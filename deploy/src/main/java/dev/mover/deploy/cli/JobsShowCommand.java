package dev.mover.deploy.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mover.api.status.Status;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(name = "show", description = "Shows everything about one job.")
final class JobsShowCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private ProxyOption proxy = new ProxyOption();

  @Parameters(paramLabel = "ID", description = "As 'submit' and 'list' print it.")
  private String id = "";

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    JsonNode job = proxy.caller().get(ProxyOption.job(id));
    if (common.json()) {
      out.println(job);
    } else {
      JobText.of(job).forEach(out::println);
    }
    return Status.SUCCESS.exitCode();
  }
}
