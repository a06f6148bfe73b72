package dev.mover.deploy.bench;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mover.deploy.bench.BenchPlan.Place;
import dev.mover.deploy.bench.Order.Bare;
import dev.mover.deploy.host.Cleanup;
import dev.mover.deploy.host.MoverProcess;
import dev.mover.deploy.text.Amounts;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All rounds in one place. In a round every subject has one turn; loops and what is held against
 * them take turns next to each other, since the machine may be slower a minute later.
 */
final class PlaceRun {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String MACHINE = "first";
  private static final String OTHER_MACHINE = "second";

  private final Place place;
  private final Path image;
  private final Path folder;
  private final BenchPlan plan;
  private final PrintWriter err;
  private final Samples samples = new Samples();
  private final Map<String, MoverProcess> workers = new LinkedHashMap<>();
  private final Map<Bare, MoverProcess> loops = new EnumMap<>(Bare.class);
  private final MoverProcess embedded;
  private final MoverProcess proxy;
  private final MoverProcess repository;
  private int round;
  private boolean cloning;

  /**
   * @param folder empty, with room for twice the image
   */
  PlaceRun(Place place, Path image, Path folder, BenchPlan plan, PrintWriter err, Cleanup cleanup)
      throws IOException {
    this.place = place;
    this.image = image;
    this.folder = folder;
    this.plan = plan;
    this.err = err;
    for (Bare bare : Bare.values()) {
      loops.put(bare, worker("loop " + bare, cleanup));
    }
    embedded = worker("embedded", cleanup);
    proxy = worker("proxy", cleanup);
    repository = worker("repository", cleanup);
  }

  private MoverProcess worker(String name, Cleanup cleanup) throws IOException {
    MoverProcess started = MoverProcess.start(folder, cleanup, "bench-worker");
    workers.put(name, started);
    return started;
  }

  PlaceReport run() throws IOException {
    for (round = 0; round <= plan.warmRounds(); round++) {
      playRound();
    }
    Map<String, Long> peaks = new LinkedHashMap<>();
    for (Map.Entry<String, MoverProcess> worker : workers.entrySet()) {
      peaks.put(worker.getKey(), ask(worker.getValue(), new Order.Usage()).peakRssBytes());
    }
    return new PlaceReport(place, cloning, samples, peaks);
  }

  private void playRound() throws IOException {
    loop(Subject.CPU_LOOP, Bare.PACK);
    overTcp();
    embedded();
    loop(Subject.WRITE_LOOP, Bare.PACK_WRITE);
    loop(Subject.UNPACK_LOOP, Bare.UNPACK);
    Folders.remove(packed());
    Folders.remove(unpacked());
    if (round > 0) {
      for (int tasks : plan.tasks()) {
        tasks(tasks);
      }
    }
  }

  private void loop(Subject subject, Bare bare) throws IOException {
    Order order =
        new Order.Loop(bare, image.toString(), packed().toString(), unpacked().toString());
    record(subject, measure(requireNonNull(loops.get(bare)), order), 0);
  }

  /** First run, second run, restore and another machine against one repository. */
  private void overTcp() throws IOException {
    Path directory = folder.resolve("tcp");
    String address = startRepository(directory);
    backup(Subject.TCP, 1, MACHINE, address);
    loop(Subject.READ_HASH_LOOP, Bare.READ_HASH);
    backup(Subject.UNCHANGED, 1, MACHINE, address);
    restore(address);
    if (cloning) {
      backup(Subject.SECOND_MACHINE, 1, OTHER_MACHINE, address);
    }
    stopRepository(directory);
  }

  private void restore(String address) throws IOException {
    Path target = folder.resolve("restored");
    Order order = new Order.Restore(MACHINE, address, target.toString());
    long before = cpuOfRepository();
    Measured done = measure(proxy, order);
    record(Subject.RESTORE, done, cpuOfRepository() - before);
    Folders.remove(target);
  }

  private void embedded() throws IOException {
    Path directory = folder.resolve("embedded");
    Order order =
        new Order.Backup(image.toString(), 1, MACHINE, directory.toString(), ReadLoop.COMPRESSION);
    record(Subject.EMBEDDED, measure(embedded, order), 0);
    Folders.remove(directory);
  }

  private void tasks(int count) throws IOException {
    Path directory = folder.resolve("tasks");
    String address = startRepository(directory);
    backup(Subject.ofTasks(count), count, MACHINE, address);
    stopRepository(directory);
  }

  private void backup(Subject subject, int tasks, String machine, String address)
      throws IOException {
    long before = cpuOfRepository();
    Measured done =
        measure(
            proxy,
            new Order.Backup(image.toString(), tasks, machine, address, ReadLoop.COMPRESSION));
    record(subject, done, cpuOfRepository() - before);
  }

  private String startRepository(Path directory) throws IOException {
    Answer started =
        ask(repository, new Order.StartRepository(directory.toString(), BenchWorker.SLOTS));
    List<String> said = List.of(started.text().split(" ", 2));
    cloning = said.get(1).startsWith("cloning");
    return said.get(0);
  }

  private void stopRepository(Path directory) throws IOException {
    ask(repository, new Order.StopRepository());
    Folders.remove(directory);
  }

  private long cpuOfRepository() throws IOException {
    return ask(repository, new Order.Usage()).cpuMs();
  }

  /** What the worker answered, and what it has used for it. */
  private record Measured(Answer answer, long cpuMs) {}

  private static Measured measure(MoverProcess worker, Order order) throws IOException {
    long before = ask(worker, new Order.Usage()).cpuMs();
    Answer answer = ask(worker, order);
    return new Measured(answer, answer.cpuMs() - before);
  }

  private void record(Subject subject, Measured done, long otherCpuMs) {
    Answer answer = done.answer();
    samples.add(
        new Sample(
            subject,
            round,
            answer.ns(),
            answer.readBytes(),
            answer.sentBytes(),
            answer.storedBytes(),
            done.cpuMs() + otherCpuMs,
            answer.text()));
    err.printf(
        "%s, round %d of %d: %s %s %s%n",
        place.label(),
        round,
        plan.warmRounds(),
        subject.label(),
        Amounts.time(Duration.ofNanos(answer.ns())),
        answer.text());
  }

  private static Answer ask(MoverProcess worker, Order order) throws IOException {
    Answer answer = answer(worker, order);
    if (!answer.error().isEmpty()) {
      throw new IOException(answer.error());
    }
    return answer;
  }

  private static Answer answer(MoverProcess worker, Order order) throws IOException {
    try {
      return JSON.treeToValue(worker.ask(JSON.valueToTree(order)), Answer.class);
    } catch (JsonProcessingException e) {
      throw new IOException("a worker answers strangely: " + e.getMessage(), e);
    }
  }

  private Path packed() {
    return folder.resolve("packed");
  }

  private Path unpacked() {
    return folder.resolve("unpacked");
  }
}
