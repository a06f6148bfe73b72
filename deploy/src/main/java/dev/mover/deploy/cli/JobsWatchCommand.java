package dev.mover.deploy.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "watch",
    description =
        "Shows a job's progress until it ends, and exits as it ended: 0 success, 1 warning, 2 failed"
            + " or cancelled.")
final class JobsWatchCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private ProxyOption proxy = new ProxyOption();

  @Parameters(paramLabel = "ID", description = "As 'submit' and 'list' print it.")
  private String id = "";

  @Override
  public Integer call() {
    return new JobWatch(spec, common.json()).follow(proxy.caller(), id);
  }
}
