package dev.mover.proxy;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.error.LinkException;
import dev.mover.api.point.Name;
import dev.mover.api.point.Partial;
import dev.mover.api.point.Removal;
import dev.mover.api.point.RemovalMode;
import dev.mover.api.point.RestorePoint;
import dev.mover.api.point.Retention;
import dev.mover.api.source.DiskSource;
import dev.mover.dedup.codec.zstd.ZstdBlockCodec;
import dev.mover.proxy.pipeline.BackupSession;
import dev.mover.proxy.pipeline.CpuPool;
import dev.mover.proxy.pipeline.LinkLimits;
import dev.mover.proxy.pipeline.TaskSlots;
import dev.mover.proxy.restore.Conversation;
import dev.mover.proxy.restore.RestoreSession;
import dev.mover.transport.frame.Damage;
import dev.mover.transport.frame.Delete;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.ListPartials;
import dev.mover.transport.frame.ListPoints;
import dev.mover.transport.frame.Open;
import dev.mover.transport.frame.Partials;
import dev.mover.transport.frame.Points;
import dev.mover.transport.frame.RemovePartials;
import dev.mover.transport.frame.Removed;
import dev.mover.transport.frame.Retain;
import dev.mover.transport.frame.VerdictFrame;
import dev.mover.transport.frame.Verify;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.LinkConnector;
import java.time.Clock;
import java.time.ZoneId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The source-side data mover: CPU threads, block memory and task slots, shared by everything that
 * runs in it. All methods block their caller until done, may run side by side, and throw {@link
 * dev.mover.api.error.MoverException} on failure.
 */
public final class Proxy implements AutoCloseable {
  private final CpuPool cpu;
  private final ProxyMemory memory;
  private final TaskSlots slots;
  private final LinkLimits links;
  private final LinkPatience patience;

  public Proxy(ProxyOptions options) {
    this(options, Clock.system(ZoneId.systemDefault()), LinkPatience.DEFAULT);
  }

  /**
   * As {@link #Proxy(ProxyOptions)}.
   *
   * @param clock the time of day that link rules go by
   * @param patience with links that are lost
   */
  public Proxy(ProxyOptions options, Clock clock, LinkPatience patience) {
    if (options.slots() < 1 || options.slots() > ProxyOptions.MAX_SLOTS) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "a proxy has 1 to " + ProxyOptions.MAX_SLOTS + " task slots");
    }
    if (options.workers() < 1) {
      throw new InputException(ErrorCode.BAD_USAGE, "a proxy has at least one CPU thread");
    }
    cpu = new CpuPool(options.workers(), ZstdBlockCodec::new);
    memory = new ProxyMemory(options.slots());
    slots = new TaskSlots(options.slots());
    links = new LinkLimits(options.linkRules(), clock);
    this.patience = patience;
  }

  /**
   * From now on at most {@code tasks} run at once; those that run already go on.
   *
   * @param tasks 1 to the slots of {@link ProxyOptions}, which the memory is shared out by
   */
  public void limitTasks(int tasks) {
    slots.limit(tasks);
  }

  /** From now on backups keep these rules, also those that run. */
  public void limitLinks(List<LinkRule> rules) {
    links.set(rules);
  }

  /** Backs one machine up; returns when its restore point is committed. Closes the sources. */
  public BackupResult backup(
      BackupRequest request, LinkConnector repository, Progress.Listener listener) {
    return backup(request, repository, listener, new Cancellation());
  }

  /** As {@link #backup(BackupRequest, LinkConnector, Progress.Listener)}, and may be cancelled. */
  public BackupResult backup(
      BackupRequest request,
      LinkConnector repository,
      Progress.Listener listener,
      Cancellation cancellation) {
    try {
      checkDisks(request);
      return new BackupSession(request, memory, cpu, slots, links, patience, listener, cancellation)
          .run(repository);
    } finally {
      request.disks().forEach(DiskSource::close);
    }
  }

  private static void checkDisks(BackupRequest request) {
    int count = request.disks().size();
    if (count < 1 || count > Open.MAX_DISKS) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "a machine has 1 to " + Open.MAX_DISKS + " disks, not " + count);
    }
    Set<Name> names = new HashSet<>();
    for (DiskSource disk : request.disks()) {
      if (!names.add(disk.spec().name())) {
        throw new InputException(
            ErrorCode.BAD_USAGE,
            "two disks are called " + disk.spec().name() + "; name them apart with NAME=PATH");
      }
    }
  }

  /** Restores one disk; returns when the target is whole and durable. */
  public RestoreResult restore(
      RestoreRequest request, LinkConnector repository, Progress.Listener listener) {
    return new RestoreSession(request, memory, cpu, slots, listener).run(repository);
  }

  /**
   * Lists restore points by machine and sequence.
   *
   * @param machine empty: all
   */
  public void points(String machine, LinkConnector repository, Consumer<RestorePoint> consumer) {
    try (Conversation link = new Conversation(repository, BulkReceiver.NONE)) {
      Points part = link.ask(new ListPoints(machine, "", 0), Points.class);
      part.points().forEach(consumer);
      while (!part.last()) {
        if (part.points().isEmpty()) {
          throw new LinkException(
              ErrorCode.PROTOCOL_VIOLATION, "the repository's list of points has no end");
        }
        RestorePoint after = part.points().getLast();
        part =
            link.ask(
                new ListPoints(machine, after.machine().value(), after.sequence()), Points.class);
        part.points().forEach(consumer);
      }
    }
  }

  /**
   * Has the repository verify points. Points that were not asked for have a verdict too when they
   * share blocks that were found damaged.
   *
   * @param machine empty: all
   * @param sequence 0: all
   * @param data read and hash every block, not only structure
   */
  public void verify(
      String machine,
      long sequence,
      boolean data,
      LinkConnector repository,
      VerifyListener listener) {
    try (Conversation link = new Conversation(repository, BulkReceiver.NONE)) {
      link.send(new Verify(machine, sequence, data));
      while (true) {
        switch (link.next(Frame.class)) {
          case Damage damage -> listener.damage(damage);
          case VerdictFrame verdict when verdict.verdict() != null -> listener.verdict(verdict);
          case VerdictFrame _ -> {
            return;
          }
          case Frame other ->
              throw new LinkException(
                  ErrorCode.PROTOCOL_VIOLATION,
                  "the repository answered a verification with "
                      + other.getClass().getSimpleName());
        }
      }
    }
  }

  /**
   * Has the repository delete points of a machine.
   *
   * @param sequence 0: all, and the machine with them
   * @param mode whether to delete, or only to say what would go and come back
   * @return what it came to in all
   */
  public Removed delete(
      Name machine,
      long sequence,
      RemovalMode mode,
      LinkConnector repository,
      Consumer<Removal> consumer) {
    return remove(new Delete(machine, sequence, mode), repository, consumer);
  }

  /**
   * Has the repository delete the points that a retention doesn't keep.
   *
   * @param machine empty: all
   * @param mode whether to delete, or only to say what would go and come back
   * @return what it came to in all
   */
  public Removed retain(
      String machine,
      Retention keep,
      RemovalMode mode,
      LinkConnector repository,
      Consumer<Removal> consumer) {
    return remove(new Retain(machine, keep, mode), repository, consumer);
  }

  private static Removed remove(
      Frame question, LinkConnector repository, Consumer<Removal> consumer) {
    try (Conversation link = new Conversation(repository, BulkReceiver.NONE)) {
      Removed frame = link.ask(question, Removed.class);
      while (frame.removal() != null) {
        consumer.accept(frame.removal());
        frame = link.next(Removed.class);
      }
      return frame;
    }
  }

  /**
   * Lists what sessions that have not committed left, by machine.
   *
   * @param machine empty: all
   */
  public void partials(String machine, LinkConnector repository, Consumer<Partial> consumer) {
    try (Conversation link = new Conversation(repository, BulkReceiver.NONE)) {
      Partials part = link.ask(new ListPartials(machine, ""), Partials.class);
      part.partials().forEach(consumer);
      while (!part.last()) {
        String after = goesOn(part).partials().getLast().file();
        part = link.ask(new ListPartials(machine, after), Partials.class);
        part.partials().forEach(consumer);
      }
    }
  }

  /** Has the repository remove the partials of a machine; tells of those that are gone. */
  public void removePartials(Name machine, LinkConnector repository, Consumer<Partial> consumer) {
    try (Conversation link = new Conversation(repository, BulkReceiver.NONE)) {
      Partials part = link.ask(new RemovePartials(machine), Partials.class);
      part.partials().forEach(consumer);
      while (!part.last()) {
        goesOn(part);
        part = link.ask(new RemovePartials(machine), Partials.class);
        part.partials().forEach(consumer);
      }
    }
  }

  private static Partials goesOn(Partials part) {
    if (part.partials().isEmpty()) {
      throw new LinkException(
          ErrorCode.PROTOCOL_VIOLATION, "the repository's list of partials has no end");
    }
    return part;
  }

  /** Block memory in use now; zero when nothing runs. */
  public long leasedBytes() {
    return memory.read().leasedBytes() + memory.send().leasedBytes();
  }

  /** Ends the threads and frees the memory. Call when no run is under way: it would never end. */
  @Override
  public void close() {
    cpu.close();
    links.close();
    memory.close();
  }
}
