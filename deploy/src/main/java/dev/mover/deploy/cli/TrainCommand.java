package dev.mover.deploy.cli;

import dev.mover.api.status.Status;
import dev.mover.deploy.daemon.RepositoryConfig;
import dev.mover.deploy.daemon.RepositoryDaemon;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * Runs a little of everything in one process, so that the JVM can record an AOT cache of it. Only
 * the launcher calls this, after a build.
 */
@Command(name = "train", hidden = true)
final class TrainCommand implements Callable<Integer> {
  private static final int DISK_BYTES = 5 << 20;

  @Parameters(paramLabel = "DIR", description = "An empty folder to work in.")
  private Path folder = Path.of("");

  @Override
  public Integer call() throws IOException {
    Path disk = folder.resolve("disk");
    byte[] content = new byte[DISK_BYTES];
    new SplittableRandom(1).nextBytes(content);
    Files.write(disk, content);
    Status status = Status.SUCCESS;
    try (RepositoryDaemon daemon =
        RepositoryDaemon.start(RepositoryConfig.onFreePorts(folder.resolve("daemon")))) {
      status = status.worse(all(disk, daemon.address(), folder.resolve("restored1")));
    }
    String embedded = folder.resolve("embedded").toString();
    status = status.worse(all(disk, embedded, folder.resolve("restored2")));
    return status.exitCode();
  }

  private static Status all(Path disk, String repository, Path target) {
    boolean good =
        run("--help") == 0
            && run("backup", disk.toString(), "--machine", "m", "--to", repository) == 0
            && run("backup", disk.toString(), "--machine", "m", "--to", repository, "--json") == 0
            && run("points", "--from", repository) == 0
            && run("verify", "--data", "--from", repository) == 0
            && run("restore", "--machine", "m", "--from", repository, target.toString()) == 0;
    return good ? Status.SUCCESS : Status.FAILED;
  }

  private static int run(String... arguments) {
    PrintWriter nowhere =
        new PrintWriter(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    return Main.run(arguments, nowhere, nowhere);
  }
}
