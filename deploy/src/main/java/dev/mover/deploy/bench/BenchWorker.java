package dev.mover.deploy.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mover.api.block.BlockSize;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.Name;
import dev.mover.deploy.daemon.RepositoryConfig;
import dev.mover.deploy.daemon.RepositoryDaemon;
import dev.mover.deploy.wiring.RepositoryDoor;
import dev.mover.proxy.BackupRequest;
import dev.mover.proxy.BackupResult;
import dev.mover.proxy.Progress;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.ProxyOptions;
import dev.mover.proxy.RestoreRequest;
import dev.mover.proxy.RestoreResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A process that does one measured thing after another, so that it ages round by round as a daemon
 * does. Takes {@link Order}s as lines of JSON and answers each with one line; ends with its input.
 * Proxy and repository in it are those of the daemons: one proxy with its pools for all runs, one
 * server a repository.
 */
public final class BenchWorker implements AutoCloseable {
  /** Task slots of proxy and repository: as many as the most tasks that are measured. */
  static final int SLOTS = 6;

  private final ObjectMapper json = new ObjectMapper();

  /**
   * Of a loop: two a core, so that one can read while the other computes. With one a core the CPU
   * loop took 7.3 instead of 5.7 s, which is no roofline.
   */
  private final int threads = 2 * Runtime.getRuntime().availableProcessors();

  private @Nullable Proxy proxy;
  private @Nullable RepositoryDaemon daemon;

  /** Answers orders until {@code in} ends. */
  public void serve(BufferedReader in, PrintWriter out) throws IOException {
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      out.println(json.writeValueAsString(answer(line)));
      out.flush();
    }
  }

  private Answer answer(String line) throws IOException {
    try {
      Order order = json.readValue(line, Order.class);
      long start = System.nanoTime();
      Answer done = carryOut(order);
      return done.used(System.nanoTime() - start, ProcessUsage.now());
    } catch (JsonProcessingException e) {
      return Answer.failed("not an order: " + line);
    } catch (IOException | MoverException e) {
      return Answer.failed(String.valueOf(e.getMessage()));
    }
  }

  private Answer carryOut(Order order) throws IOException {
    return switch (order) {
      case Order.Loop loop -> loop(loop);
      case Order.Backup backup -> backup(backup);
      case Order.Restore restore -> restore(restore);
      case Order.StartRepository start -> startRepository(start);
      case Order.StopRepository _ -> stopRepository();
      case Order.Usage _ -> Answer.of(0, 0, 0, "");
    };
  }

  private Answer loop(Order.Loop loop) throws IOException {
    Path image = Path.of(loop.image());
    Path packed = Path.of(loop.packed());
    LoopResult done =
        switch (loop.bare()) {
          case READ_HASH -> ReadLoop.hash(image, threads);
          case PACK -> ReadLoop.pack(image, threads);
          case PACK_WRITE -> ReadLoop.write(image, threads, packed);
          case UNPACK -> UnpackLoop.run(packed, threads, Path.of(loop.target()));
        };
    return Answer.of(done.plainBytes(), 0, done.packedBytes(), "");
  }

  private Answer backup(Order.Backup order) {
    try (RepositoryDoor door = RepositoryDoor.forBackup(order.to(), SLOTS)) {
      BackupResult done =
          proxy()
              .backup(
                  new BackupRequest(
                      new Name(order.machine()),
                      RangeSource.cut(Path.of(order.image()), order.tasks()),
                      BlockSize.DEFAULT,
                      order.compression()),
                  door.connector(),
                  Progress.Listener.NONE);
      return Answer.of(
          done.readBytes(), done.sentBytes(), done.storedBytes(), done.load().toString());
    }
  }

  private Answer restore(Order.Restore order) {
    try (RepositoryDoor door = RepositoryDoor.forReading(order.from())) {
      RestoreResult done =
          proxy()
              .restore(
                  new RestoreRequest(
                      new Name(order.machine()),
                      0,
                      Optional.empty(),
                      Path.of(order.target()),
                      true),
                  door.connector(),
                  Progress.Listener.NONE);
      return Answer.of(done.writtenBytes(), done.receivedBytes(), 0, "");
    }
  }

  private Proxy proxy() {
    Proxy open = proxy;
    if (open == null) {
      open = new Proxy(ProxyOptions.DEFAULT.withSlots(SLOTS));
      proxy = open;
    }
    return open;
  }

  private Answer startRepository(Order.StartRepository order) throws IOException {
    stopRepository();
    Path config = Files.createTempFile("mover-bench", ".yaml");
    try {
      Files.writeString(
          config,
          "path: '%s'%nlisten: 127.0.0.1:0%nhttp: 127.0.0.1:0%nmaxConcurrentTasks: %d%n"
              .formatted(order.directory().replace("'", "''"), order.tasks()));
      RepositoryDaemon started = RepositoryDaemon.start(RepositoryConfig.read(config));
      daemon = started;
      return Answer.of(0, 0, 0, started.address() + " " + started.mode());
    } finally {
      Files.deleteIfExists(config);
    }
  }

  private Answer stopRepository() {
    RepositoryDaemon running = daemon;
    daemon = null;
    if (running != null) {
      running.close();
    }
    return Answer.of(0, 0, 0, "");
  }

  @Override
  public void close() {
    stopRepository();
    if (proxy != null) {
      proxy.close();
    }
  }
}
