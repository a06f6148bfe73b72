package dev.mover.deploy.daemon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LimitException;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.error.Side;
import dev.mover.proxy.BackupResult;
import dev.mover.transport.http.HttpEvent;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;

/**
 * All jobs of a proxy: queued, running, and the last that ended.
 *
 * <p>Jobs start in the order they came, but for two of one machine and repository, which never run
 * side by side: the later one lets others pass. A running job has a thread of its own; there are at
 * most as many as jobs may run. Bounded: {@value #MOST_QUEUED} queued jobs whose orders have
 * {@value #MOST_QUEUED_CHARS} characters together, {@link EndedJobs}. Thread-safe; a call may wait
 * for the history's disk.
 */
final class JobBook {
  private static final Logger log = LoggerFactory.getLogger(JobBook.class);

  static final int MOST_QUEUED = 1000;
  static final long MOST_QUEUED_CHARS = 2 << 20;
  static final int MOST_RUNNING = 64;

  /** After a cancel a run only has to notice. */
  private static final Duration CANCELLED_WITHIN = Duration.ofSeconds(30);

  private final JobRunner runner;
  private final JobHistory history;
  private final InstantSource clock;
  private final BiConsumer<JobState, @Nullable BackupResult> onEnd;

  // Guarded by this.
  private final Map<String, Job> queued = new LinkedHashMap<>();
  private final Map<String, Job> running = new LinkedHashMap<>();
  private final Set<String> busyMachines = new HashSet<>();
  private final EndedJobs ended;
  private long queuedChars;
  private int mostRunning;
  private int mostEverRunning;
  private boolean stopping;

  /**
   * Reads the history; starts nothing yet.
   *
   * @param onEnd told of every end, under this book's lock
   */
  JobBook(
      JobRunner runner,
      JobHistory history,
      InstantSource clock,
      int mostRunning,
      BiConsumer<JobState, @Nullable BackupResult> onEnd) {
    this.runner = runner;
    this.history = history;
    this.clock = clock;
    this.mostRunning = mostRunning;
    this.onEnd = onEnd;
    this.ended = history.read(clock.instant());
  }

  /**
   * Queues a job; it may be running when this returns.
   *
   * @throws LimitException BUSY when the queue is full
   * @throws RepositoryException SHUTTING_DOWN
   */
  synchronized ObjectNode submit(JobRequest request) {
    if (stopping) {
      throw MoverException.of(
          ErrorCode.SHUTTING_DOWN, Side.PROXY, "the proxy is stopping and takes no more jobs");
    }
    Job job = new Job(UUID.randomUUID().toString(), request, clock.instant());
    ObjectNode json = job.json();
    long chars = json.toString().length();
    if (queued.size() >= MOST_QUEUED || queuedChars + chars > MOST_QUEUED_CHARS) {
      throw new LimitException(
          ErrorCode.BUSY,
          Side.PROXY,
          queued.size() + " jobs are queued already; submit again when some have ended");
    }
    queued.put(job.id(), job);
    queuedChars += chars;
    history.append(json, this::unfinished);
    startWhatMayRun();
    return show(job);
  }

  /** From now on at most so many jobs run at once; those that run go on. */
  synchronized void limitRunning(int jobs) {
    mostRunning = jobs;
    startWhatMayRun();
  }

  private void startWhatMayRun() {
    var waiting = queued.values().iterator();
    while (!stopping && running.size() < mostRunning && waiting.hasNext()) {
      Job job = waiting.next();
      if (busyMachines.add(job.request().machineKey())) {
        queuedChars -= job.json().toString().length();
        waiting.remove();
        running.put(job.id(), job);
        mostEverRunning = Math.max(mostEverRunning, running.size());
        job.started(clock.instant());
        history.append(job.json(), this::unfinished);
        start(job);
      }
    }
  }

  private void start(Job job) {
    try {
      Thread.ofPlatform().daemon().name("job-" + job.id()).start(() -> run(job));
    } catch (Throwable e) {
      log.error("job {} has no thread to run on", job.id(), e);
      leave(job, null, noThread(e));
    }
  }

  private static MoverException noThread(Throwable cause) {
    return MoverException.of(
        ErrorCode.BUSY,
        Side.PROXY,
        "no thread could be had for the job (%s); run fewer at once, or allow the process more"
            .formatted(cause.getMessage()),
        cause);
  }

  private void run(Job job) {
    BackupResult result = null;
    MoverException error = null;
    try {
      result = runner.run(job.request(), job::progressed, job.cancellation());
    } catch (MoverException e) {
      error = e;
    } catch (Throwable e) {
      log.error("job {} fails of an internal error", job.id(), e);
      error =
          MoverException.of(
              ErrorCode.INTERNAL, Side.PROXY, "internal error, please report it: " + e, e);
    }
    synchronized (this) {
      leave(job, result, error);
      startWhatMayRun();
    }
  }

  private void leave(Job job, @Nullable BackupResult result, @Nullable MoverException error) {
    running.remove(job.id());
    busyMachines.remove(job.request().machineKey());
    end(job, stateAfter(job, result, error), result, error);
  }

  private static JobState stateAfter(
      Job job, @Nullable BackupResult result, @Nullable MoverException error) {
    if (result != null) {
      return JobState.of(result.status());
    }
    boolean asked =
        error != null && error.code() == ErrorCode.CANCELLED && job.cancellation().isCancelled();
    return asked ? JobState.CANCELLED : JobState.FAILED;
  }

  private void end(
      Job job, JobState state, @Nullable BackupResult result, @Nullable MoverException error) {
    ObjectNode json = job.ended(state, clock.instant(), result, error);
    ended.add(json);
    history.append(json, this::unfinished);
    onEnd.accept(state, result);
    notifyAll();
  }

  /**
   * Cancels a job: at once when it is queued, soon when it runs; one that is committing its point
   * may still end well.
   *
   * @throws MoverException NO_SUCH_JOB, or JOB_ENDED
   */
  ObjectNode cancel(String id) {
    Job job;
    synchronized (this) {
      job = queued.remove(id);
      if (job != null) {
        queuedChars -= job.json().toString().length();
        end(job, JobState.CANCELLED, null, cancelledBeforeItRan());
        return job.json();
      }
      job = running.get(id);
      if (job == null) {
        throw MoverException.of(
            ErrorCode.JOB_ENDED,
            Side.PROXY,
            "job %s is %s already".formatted(id, endedJob(id).path(JobJson.STATE).asText()));
      }
    }
    job.cancellation().cancel(); // without our lock: it ends the run's link
    synchronized (this) {
      return show(job);
    }
  }

  private static MoverException cancelledBeforeItRan() {
    return new LimitException(
        ErrorCode.CANCELLED, Side.PROXY, "the job was cancelled before it ran");
  }

  /**
   * One job, whole.
   *
   * @throws MoverException NO_SUCH_JOB
   */
  synchronized ObjectNode find(String id) {
    Job live = live(id);
    return live == null ? endedJob(id) : show(live);
  }

  /**
   * What happens to a job, from its present state to its end; of an ended one, its end.
   *
   * @throws MoverException NO_SUCH_JOB
   */
  synchronized Flux<HttpEvent> watch(String id) {
    Job live = live(id);
    return live == null ? Flux.fromIterable(JobJson.endedEvents(endedJob(id))) : live.watch();
  }

  private @Nullable Job live(String id) {
    Job job = running.get(id);
    return job == null ? queued.get(id) : job;
  }

  private ObjectNode endedJob(String id) {
    return ended
        .find(id)
        .orElseThrow(
            () ->
                MoverException.of(
                    ErrorCode.NO_SUCH_JOB,
                    Side.PROXY,
                    "there is no job %s; the last %d that ended are kept"
                        .formatted(id, EndedJobs.MOST_JOBS)));
  }

  private ObjectNode show(Job job) {
    ObjectNode json = job.json();
    if (queued.containsKey(job.id())) {
      queue(json, job, position(job));
    }
    return json;
  }

  private ObjectNode queue(ObjectNode json, Job job, int position) {
    String reason =
        busyMachines.contains(job.request().machineKey())
            ? "waiting for another job of this machine to the same place"
            : "waiting for one of %d jobs to end".formatted(running.size());
    return json.put("queuePosition", position).put("queueReason", reason);
  }

  private int position(Job job) {
    int position = 1;
    for (String id : queued.keySet()) {
      if (id.equals(job.id())) {
        return position;
      }
      position++;
    }
    throw new AssertionError("it is queued");
  }

  /** All jobs as a listing shows them: running, then queued, then ended, the newest end first. */
  synchronized List<ObjectNode> list() {
    List<ObjectNode> all = new ArrayList<>();
    running.values().forEach(job -> all.add(JobJson.summary(job.json())));
    int position = 1;
    for (Job job : queued.values()) {
      all.add(JobJson.summary(queue(job.json(), job, position++)));
    }
    ended.newestFirst().forEach(job -> all.add(JobJson.summary(job)));
    return all;
  }

  private List<ObjectNode> unfinished() {
    List<ObjectNode> jobs = new ArrayList<>();
    running.values().forEach(job -> jobs.add(job.json()));
    queued.values().forEach(job -> jobs.add(job.json()));
    return jobs;
  }

  synchronized int queuedCount() {
    return queued.size();
  }

  synchronized int runningCount() {
    return running.size();
  }

  synchronized int endedCount() {
    return ended.size();
  }

  /** Most jobs that ever ran at once. */
  synchronized int mostEverRunning() {
    return mostEverRunning;
  }

  synchronized boolean isStopping() {
    return stopping;
  }

  /**
   * Takes no more jobs, cancels the queued ones, and waits for the running ones; cancels those that
   * still run after {@code within}.
   *
   * @return whether all have ended
   */
  boolean stop(Duration within) {
    synchronized (this) {
      stopping = true;
      List.copyOf(queued.keySet()).forEach(this::dropQueued);
    }
    if (awaitEnds(within)) {
      return true;
    }
    List<Job> late;
    synchronized (this) {
      late = List.copyOf(running.values());
    }
    log.warn(
        "{} jobs still run {} s after the stop; they are cancelled",
        late.size(),
        within.toSeconds());
    late.forEach(job -> job.cancellation().cancel());
    return awaitEnds(CANCELLED_WITHIN);
  }

  private void dropQueued(String id) {
    Job job = queued.remove(id);
    if (job != null) {
      end(
          job,
          JobState.CANCELLED,
          null,
          MoverException.of(
              ErrorCode.SHUTTING_DOWN,
              Side.PROXY,
              "the proxy stopped before it ran; submit it again"));
    }
  }

  private synchronized boolean awaitEnds(Duration within) {
    long deadline = System.nanoTime() + within.toNanos();
    long leftMs = within.toMillis();
    while (!running.isEmpty() && leftMs > 0) {
      try {
        wait(leftMs);
      } catch (InterruptedException e) {
        log.warn("somebody interrupts the stop; it still waits for its jobs", e);
      }
      leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    }
    return running.isEmpty();
  }
}
