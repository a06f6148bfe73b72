package dev.mover.deploy.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobHistoryTest {
  private static final Instant NOW = Instant.parse("2026-11-30T00:00:00Z");

  @TempDir private Path folder = Path.of("");

  private static ObjectNode job(String id, JobState state) {
    return JsonNodeFactory.instance.objectNode().put("id", id).put("state", state.label());
  }

  private List<String> read() {
    try (JobHistory history = JobHistory.open(folder)) {
      return history.read(NOW).newestFirst().stream()
          .map(job -> job.path("id").asText() + " " + job.path("state").asText())
          .toList();
    }
  }

  @Test
  void keepsWhatBecameOfJobsOverARestart() {
    try (JobHistory history = JobHistory.open(folder)) {
      for (int i = 0; i < 3; i++) {
        history.append(job("j" + i, JobState.QUEUED), List::of);
        history.append(job("j" + i, JobState.RUNNING), List::of);
      }
      history.append(job("j1", JobState.WARNING), List::of);
      history.append(job("j0", JobState.SUCCESS), List::of);
      history.append(job("j2", JobState.CANCELLED), List::of);
    }
    assertThat(read()).containsExactly("j2 cancelled", "j0 success", "j1 warning");
  }

  @Test
  void showsAsFailedWhatTheLastDaemonDidNotEnd() {
    try (JobHistory history = JobHistory.open(folder)) {
      history.append(job("ran", JobState.QUEUED), List::of);
      history.append(job("ran", JobState.RUNNING), List::of);
      history.append(job("waited", JobState.QUEUED), List::of);
    }
    try (JobHistory history = JobHistory.open(folder)) {
      EndedJobs ended = history.read(NOW);
      ObjectNode ran = ended.find("ran").orElseThrow();
      assertThat(ran.path("state").asText()).isEqualTo("failed");
      assertThat(ran.path("endedAt").asText()).isEqualTo(NOW.toString());
      assertThat(ran.path("error").path("message").asText())
          .isEqualTo("the proxy stopped while it ran; submit it again");
      assertThat(ended.find("waited").orElseThrow().path("error").path("message").asText())
          .isEqualTo("the proxy stopped before it ran; submit it again");
    }
    assertThat(read()).containsExactly("waited failed", "ran failed"); // and it stays so
  }

  @Test
  void skipsATornLineAndWritesOnBehindIt() throws IOException {
    try (JobHistory history = JobHistory.open(folder)) {
      history.append(job("whole", JobState.SUCCESS), List::of);
    }
    Files.write(
        folder.resolve("jobs.jsonl"),
        new byte[] {'{', '"', 'i', (byte) 0xc3},
        StandardOpenOption.APPEND);
    try (JobHistory history = JobHistory.open(folder)) {
      history.append(job("next", JobState.FAILED), List::of);
    }
    assertThat(read()).containsExactly("next failed", "whole success");
  }

  @Test
  void staysBoundedAndForgetsNoUnfinishedJob() throws IOException {
    ObjectNode running = job("running", JobState.RUNNING);
    try (JobHistory history = JobHistory.open(folder, 2000)) {
      history.append(running, List::of);
      for (int i = 0; i < 1000; i++) {
        history.append(job("j" + i, JobState.SUCCESS), () -> List.of(running));
      }
      long bytes =
          Files.size(folder.resolve("jobs.jsonl")) + Files.size(folder.resolve("jobs.old.jsonl"));
      assertThat(bytes).isLessThan(4300);
    }
    assertThat(read()).startsWith("running failed", "j999 success");
  }

  @Test
  void readsNoMoreThanItKeeps() {
    try (JobHistory history = JobHistory.open(folder)) {
      for (int i = 0; i < EndedJobs.MOST_JOBS + 5; i++) {
        history.append(job("j" + i, JobState.SUCCESS), List::of);
      }
    }
    assertThat(read())
        .hasSize(EndedJobs.MOST_JOBS)
        .startsWith("j204 success")
        .endsWith("j5 success");
  }

  @Test
  void letsOneDaemonIn() {
    try (JobHistory history = JobHistory.open(folder)) {
      assertThatThrownBy(() -> JobHistory.open(folder))
          .isInstanceOfSatisfying(
              InputException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_CONFIG))
          .hasMessageContaining("another proxy");
      assertThat(history.trouble()).isEmpty();
    }
    assertThat(read()).isEmpty();
  }

  @Test
  void namesAFolderItCantUse() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "x");
    assertThatThrownBy(() -> JobHistory.open(file.resolve("state")))
        .hasMessageContaining(file.toString())
        .hasMessageContaining("stateDir");
  }

  @Test
  void goesOnWithoutItsFileAndSaysSo() throws IOException {
    Path lost = Files.createDirectory(folder.resolve("lost"));
    try (JobHistory history = JobHistory.open(lost, 10)) {
      history.append(job("a", JobState.SUCCESS), List::of);
      Path inTheWay = Files.createDirectory(lost.resolve("jobs.old.jsonl"));
      history.append(job("b", JobState.SUCCESS), List::of); // it must rotate, and can't
      assertThat(history.trouble()).hasValueSatisfying(t -> assertThat(t).contains("jobs.jsonl"));
      Files.delete(inTheWay);
      Files.delete(lost.resolve("jobs.jsonl")); // moved, and then there was no room for a new one
      history.append(job("c", JobState.SUCCESS), List::of);
      assertThat(history.trouble()).isEmpty();
      assertThat(Files.readString(lost.resolve("jobs.jsonl"))).contains("\"c\"");
    }
  }
}
