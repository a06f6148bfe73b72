package dev.mover.deploy.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.deploy.daemon.BackupJson;
import dev.mover.deploy.daemon.HttpCaller;
import dev.mover.deploy.daemon.JobState;
import dev.mover.proxy.Progress;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Follows a job to its end: progress as a backup shows it, or with JSON one event a line. */
final class JobWatch {
  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean json;

  JobWatch(CommandSpec spec, boolean json) {
    this.out = spec.commandLine().getOut();
    this.err = spec.commandLine().getErr();
    this.json = json;
  }

  /** Returns the exit code that the job's end stands for. */
  int follow(HttpCaller caller, String id) {
    AtomicReference<@Nullable JsonNode> end = new AtomicReference<>();
    try (ProgressView view =
        new ProgressView(
            ProgressView.Way.BACKUP, err, ProgressView.onTerminal(), InstantSource.system())) {
      Progress.Listener listener = ProgressView.listener(json, view);
      caller.events(
          ProxyOption.job(id) + "/events",
          (name, data) -> {
            if (name.equals("result")) {
              end.set(data);
              return false;
            }
            show(name, data, listener);
            return true;
          });
    }
    JsonNode job = end.get();
    if (job == null) {
      throw new LinkException(
          ErrorCode.LINK_LOST, "the proxy ended the events before the job ended; look at it again");
    }
    return finish(job);
  }

  private void show(String name, JsonNode data, Progress.Listener listener) {
    if (json) {
      out.println(data);
      out.flush();
    } else if (name.equals("progress")) {
      listener.on(
          new Progress(
              data.path("phase").asText(),
              data.path("percent").asDouble(),
              data.path("doneBytes").asLong(),
              data.path("totalBytes").asLong(),
              data.path("sentBytes").asLong(),
              data.path("tasks").asInt(),
              data.path("detail").asText(),
              BackupJson.loadOf(data.path("load"))));
    }
  }

  private int finish(JsonNode job) {
    JobState state = JobState.named(job.path("state").asText());
    if (json) {
      out.println(job);
    } else {
      out.printf("job %s: %s%n", job.path("id").asText(), state.label());
      JobText.outcome(job).forEach(out::println);
    }
    return state.exitCode();
  }
}
