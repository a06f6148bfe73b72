package dev.mover.deploy.daemon;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.FileReason;
import dev.mover.api.error.InputException;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What became of jobs, kept over restarts: a file of JSON lines that is only appended to, in the
 * daemon's state folder. A line is a whole job as the API shows it, and of several about one job
 * the last counts.
 *
 * <pre>
 * STATE/lock             held while a daemon uses the folder
 * STATE/jobs.jsonl       at most about 4 MiB
 * STATE/jobs.old.jsonl   the one before it
 * </pre>
 *
 * <p>A line is in the file and synced when {@link #append} returns. A torn last line, after a
 * crash, is skipped. When the file can't be written jobs go on; {@link #trouble} says so.
 * Thread-safe.
 */
final class JobHistory implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(JobHistory.class);

  /** More than the lines of all jobs that may be queued and running (see {@link JobBook}). */
  static final long MOST_BYTES = 4 << 20;

  private static final JsonMapper MAPPER = new JsonMapper();

  private final Path file;
  private final Path old;
  private final FileChannel lock;
  private final long mostBytes;

  // Guarded by this.
  private FileChannel out;
  private @Nullable String trouble;

  private JobHistory(Path folder, FileChannel lock, long mostBytes) throws IOException {
    this.file = folder.resolve("jobs.jsonl");
    this.old = folder.resolve("jobs.old.jsonl");
    this.lock = lock;
    this.mostBytes = mostBytes;
    this.out = openForAppend();
  }

  /**
   * Takes the folder, making it when it is missing.
   *
   * @throws InputException BAD_CONFIG when it can't be used, or another daemon uses it
   */
  static JobHistory open(Path folder) {
    return open(folder, MOST_BYTES);
  }

  static JobHistory open(Path folder, long mostBytes) {
    FileChannel lock = null;
    try {
      Files.createDirectories(folder);
      lock =
          FileChannel.open(
              folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (!isOurs(lock)) {
        throw new InputException(
            ErrorCode.BAD_CONFIG,
            "state folder " + folder + " is used by another proxy; give each its own 'stateDir'");
      }
      return new JobHistory(folder, lock, mostBytes);
    } catch (IOException e) {
      close(lock);
      throw new InputException(
          ErrorCode.BAD_CONFIG,
          "state folder %s can't be used: %s; check 'stateDir' and its permissions"
              .formatted(folder, FileReason.of(e)));
    } catch (MoverException e) {
      close(lock);
      throw e;
    }
  }

  /** The lock lasts until its channel is closed. */
  private static boolean isOurs(FileChannel channel) throws IOException {
    try {
      FileLock taken = channel.tryLock();
      return taken != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  /**
   * Reads what there is, oldest end first. Jobs that had not ended when the last daemon did are
   * shown as failed, and their end is appended.
   */
  EndedJobs read(Instant now) {
    EndedJobs ended = new EndedJobs();
    Map<String, ObjectNode> open = new LinkedHashMap<>();
    readFile(old, ended, open);
    readFile(file, ended, open);
    for (ObjectNode job : open.values()) {
      boolean ran = job.path(JobJson.STATE).asText().equals(JobState.RUNNING.label());
      job.put(JobJson.STATE, JobState.FAILED.label()).put(JobJson.ENDED_AT, now.toString());
      job.set(
          JobJson.ERROR,
          JobJson.error(
              MoverException.of(
                  ErrorCode.SHUTTING_DOWN,
                  Side.PROXY,
                  "the proxy stopped " + (ran ? "while" : "before") + " it ran; submit it again")));
      append(job, List::of);
      ended.add(job);
    }
    return ended;
  }

  private static void readFile(Path file, EndedJobs ended, Map<String, ObjectNode> open) {
    if (!Files.exists(file)) {
      return;
    }
    // Lenient about bytes: a torn line must not hide the others.
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                Files.newInputStream(file),
                StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPLACE)
                    .onUnmappableCharacter(CodingErrorAction.REPLACE)))) {
      lines.lines().forEach(line -> take(line, ended, open));
    } catch (IOException | java.io.UncheckedIOException e) {
      log.warn("the history {} can't be read to its end", file, e);
    }
  }

  private static void take(String line, EndedJobs ended, Map<String, ObjectNode> open) {
    try {
      if (MAPPER.readTree(line) instanceof ObjectNode job) {
        JobState state = JobState.named(job.path(JobJson.STATE).asText());
        String id = job.path(JobJson.ID).asText();
        if (state.isEnded()) {
          open.remove(id);
          ended.add(job);
        } else {
          open.put(id, job);
        }
      }
    } catch (JsonProcessingException | InputException e) {
      log.warn("a line of the job history is not a job and is skipped: {}", e.getMessage());
    }
  }

  /**
   * Writes a job as it is now.
   *
   * @param unfinished the jobs that a new file must begin with, when the old one is full
   */
  synchronized void append(ObjectNode job, Supplier<? extends Collection<ObjectNode>> unfinished) {
    try {
      if (out.size() > mostBytes) {
        rotate(unfinished.get());
      }
      write(job);
      out.force(false);
      trouble = null;
    } catch (IOException e) {
      log.warn("the job history {} can't be written", file, e);
      trouble = "the job history " + file + " can't be written: " + e.getMessage();
    }
  }

  private void rotate(Collection<ObjectNode> unfinished) throws IOException {
    if (Files.exists(file)) { // else it was moved before, and there was no room for a new one
      Files.move(file, old, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }
    FileChannel full = out;
    out = openForAppend();
    full.close();
    for (ObjectNode job : unfinished) {
      write(job);
    }
  }

  private FileChannel openForAppend() throws IOException {
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    long size = channel.size();
    channel.position(size);
    ByteBuffer last = ByteBuffer.allocate(1);
    if (size > 0 && channel.read(last, size - 1) == 1 && last.get(0) != '\n') {
      write(channel, "\n"); // ends the line a crash tore
    }
    return channel;
  }

  private void write(ObjectNode job) throws IOException {
    // After a failure the last line may be torn: it is ended first.
    write(out, (trouble == null ? "" : "\n") + job + "\n");
  }

  private static void write(FileChannel to, String text) throws IOException {
    ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
    while (bytes.hasRemaining()) {
      to.write(bytes);
    }
  }

  /** Why the history has a gap, while it has. */
  synchronized Optional<String> trouble() {
    return Optional.ofNullable(trouble);
  }

  @Override
  public synchronized void close() {
    close(out);
    close(lock);
  }

  private static void close(@Nullable FileChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        log.warn("a file of the job history can't be closed", e);
      }
    }
  }
}
