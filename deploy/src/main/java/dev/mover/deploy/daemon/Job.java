package dev.mover.deploy.daemon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.api.error.MoverException;
import dev.mover.proxy.BackupResult;
import dev.mover.proxy.Cancellation;
import dev.mover.proxy.Progress;
import dev.mover.transport.http.HttpEvent;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * One job from its order to its end. Tells everybody who watches it; thread-safe, and never waits
 * for a watcher.
 */
final class Job {
  private final String id;
  private final JobRequest request;
  private final Instant createdAt;
  private final Cancellation cancellation = new Cancellation();
  private final Sinks.Many<HttpEvent> events = Sinks.many().replay().latest();

  // Guarded by this.
  private JobState state = JobState.QUEUED;
  private HttpEvent lastState;
  private @Nullable Instant startedAt;
  private @Nullable Instant endedAt;
  private @Nullable Progress progress;
  private @Nullable BackupResult result;
  private @Nullable MoverException error;

  Job(String id, JobRequest request, Instant createdAt) {
    this.id = id;
    this.request = request;
    this.createdAt = createdAt;
    this.lastState = JobJson.stateEvent(id, state);
  }

  String id() {
    return id;
  }

  JobRequest request() {
    return request;
  }

  Cancellation cancellation() {
    return cancellation;
  }

  synchronized JobState state() {
    return state;
  }

  synchronized void started(Instant at) {
    startedAt = at;
    become(JobState.RUNNING);
  }

  synchronized void progressed(Progress now) {
    if (state == JobState.RUNNING) {
      progress = now;
      emit(JobJson.progressEvent(id, now));
    }
  }

  /**
   * The end; {@code result} of a success or warning, {@code error} otherwise.
   *
   * @return the job as it will be shown from now on
   */
  synchronized ObjectNode ended(
      JobState end, Instant at, @Nullable BackupResult result, @Nullable MoverException error) {
    endedAt = at;
    this.result = result;
    this.error = error;
    become(end);
    ObjectNode json = json();
    emit(JobJson.resultEvent(json));
    events.tryEmitComplete().orThrow();
    return json;
  }

  private void become(JobState next) {
    state = next;
    lastState = JobJson.stateEvent(id, next);
    emit(lastState);
  }

  private void emit(HttpEvent event) {
    events.tryEmitNext(event).orThrow();
  }

  /**
   * The last {@code state}, then what happens, to the {@code result}. Holds one event for a watcher
   * who is slow, always the newest: it may miss some progress and never the result.
   */
  Flux<HttpEvent> watch() {
    return Flux.concat(Mono.fromSupplier(this::lastState), events.asFlux().onBackpressureLatest())
        .distinctUntilChanged();
  }

  private synchronized HttpEvent lastState() {
    return lastState;
  }

  synchronized ObjectNode json() {
    return JobJson.job(
        new JobJson.View(
            id, state, request, createdAt, startedAt, endedAt, progress, result, error));
  }
}
