package dev.mover.deploy.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.transport.http.HttpEvent;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

class JobBookTest {
  private final ScriptedRunner runner = new ScriptedRunner();
  private final JobHistory history;
  private final JobBook jobs;
  private final List<JobState> ends = new ArrayList<>();

  JobBookTest(@TempDir Path folder) {
    history = JobHistory.open(folder);
    jobs = new JobBook(runner, history, InstantSource.system(), 3, (state, _) -> ends.add(state));
  }

  @AfterEach
  void close() {
    jobs.stop(Duration.ZERO);
    history.close();
  }

  private String submit(String machine) {
    return jobs.submit(JobOrder.parse(ApiFixture.order(machine))).path("id").asText();
  }

  private String end(String id) {
    jobs.watch(id).blockLast(Duration.ofSeconds(20));
    return jobs.find(id).path("state").asText();
  }

  @Test
  void runsManyJobsInOrderAndNeverMoreThanItsLimitAtOnce() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      ids.add(submit("m" + i));
    }
    for (int i = 0; i < 40; i++) {
      runner.awaitRunning("m" + i);
      runner.succeed("m" + i);
      assertThat(end(ids.get(i))).isEqualTo("success");
    }
    assertThat(runner.most()).isLessThanOrEqualTo(3);
    assertThat(jobs.mostEverRunning()).isEqualTo(3);
    assertThat(ends).hasSize(40).containsOnly(JobState.SUCCESS);
  }

  @Test
  void neverRunsTwoJobsOfAMachineSideBySideAndLetsOthersPass() {
    String first = submit("web");
    String second = submit("web");
    submit("db");
    runner.awaitRunning("web");
    runner.awaitRunning("db");
    assertThat(jobs.find(second).path("state").asText()).isEqualTo("queued");
    runner.succeed("web");
    end(first);
    runner.awaitRunning("web");
    runner.succeed("web");
    assertThat(end(second)).isEqualTo("success");
  }

  @Test
  void runsTheNextJobWhateverBecameOfTheLast() {
    String failed = submit("fails");
    String crashed = submit("crashes");
    runner.awaitRunning("fails");
    runner.awaitRunning("crashes");
    runner.fail("fails", ErrorCode.REPOSITORY_FULL);
    runner.crash("crashes");
    assertThat(end(failed)).isEqualTo("failed");
    assertThat(end(crashed)).isEqualTo("failed");
    assertThat(jobs.find(crashed).path("error").path("name").asText()).isEqualTo("INTERNAL");
    String next = submit("fails");
    runner.awaitRunning("fails");
    runner.succeed("fails");
    assertThat(end(next)).isEqualTo("success");
  }

  @Test
  void queuesOnlySoMany() {
    for (int i = 0; i < JobBook.MOST_QUEUED + 3; i++) {
      submit("m" + i);
    }
    assertThatThrownBy(() -> submit("more"))
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    runner.awaitRunning("m0");
    runner.succeed("m0");
    runner.awaitRunning("m3");
    submit("more");
    assertThat(jobs.queuedCount()).isEqualTo(JobBook.MOST_QUEUED);
  }

  @Test
  void stopLetsRunningJobsFinishAndDropsThoseThatWait() throws Exception {
    List<String> running = List.of(submit("a"), submit("b"), submit("c"));
    String waiting = submit("d");
    runner.awaitRunning("c");
    Thread stop = new Thread(() -> jobs.stop(Duration.ofSeconds(20)));
    stop.start();
    assertThat(end(waiting)).isEqualTo("cancelled");
    assertThat(jobs.find(waiting).path("error").path("name").asText()).isEqualTo("SHUTTING_DOWN");
    List.of("a", "b", "c").forEach(runner::succeed);
    stop.join();
    running.forEach(id -> assertThat(end(id)).isEqualTo("success"));
    assertThat(jobs.runningCount()).isZero();
  }

  @Test
  void stopCancelsWhatDoesNotEndInTime() {
    String id = submit("endless");
    runner.awaitRunning("endless");
    assertThat(jobs.stop(Duration.ZERO)).isTrue();
    assertThat(end(id)).isEqualTo("cancelled");
    assertThatThrownBy(() -> submit("late"))
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SHUTTING_DOWN));
  }

  @Test
  void holdsOneEventForAWatcherWhoTakesNothingAndNeverLosesTheResult() {
    String id = submit("a");
    runner.awaitRunning("a");
    List<String> taken = new ArrayList<>();
    BaseSubscriber<HttpEvent> watcher =
        new BaseSubscriber<>() {
          @Override
          protected void hookOnSubscribe(Subscription subscription) {
            // asks for nothing yet
          }

          @Override
          protected void hookOnNext(HttpEvent event) {
            taken.add(event.name());
          }
        };
    jobs.watch(id).subscribe(watcher);
    watcher.request(1);
    for (int i = 0; i < 10_000; i++) {
      runner.progress("a", i / 100.0);
    }
    runner.succeed("a");
    assertThat(end(id)).isEqualTo("success");
    assertThat(taken).containsExactly("state");
    watcher.request(100);
    assertThat(taken).containsExactly("state", "result");
    assertThat(watcher.isDisposed()).isTrue();
  }
}
