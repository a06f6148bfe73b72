package dev.mover.deploy.daemon;

import dev.mover.api.source.DiskSource;
import dev.mover.proxy.BackupRequest;
import dev.mover.proxy.BackupResult;
import dev.mover.proxy.Cancellation;
import dev.mover.proxy.Progress;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.source.DirectSource;
import java.util.ArrayList;
import java.util.List;

/** Runs jobs with a real proxy: opens their sources and their repository, and backs up. */
final class ProxyRunner implements JobRunner {
  private final Proxy proxy;
  private final RepositoryDoors doors;

  ProxyRunner(Proxy proxy, RepositoryDoors doors) {
    this.proxy = proxy;
    this.doors = doors;
  }

  @Override
  public BackupResult run(
      JobRequest request, Progress.Listener listener, Cancellation cancellation) {
    // The sources first: a mistyped path must not leave an empty repository behind.
    List<DiskSource> disks = open(request);
    RepositoryDoors.Visit visit;
    try {
      visit = doors.enter(request.to(), cancellation, () -> listener.on(waiting(request)));
    } catch (RuntimeException e) {
      disks.forEach(DiskSource::close);
      throw e;
    }
    try (visit) {
      return proxy.backup(
          new BackupRequest(
              request.machine(),
              disks,
              request.blockSize(),
              request.compression(),
              request.slots() == 0 ? disks.size() : request.slots()),
          visit.connector(),
          listener,
          cancellation);
    }
  }

  private static List<DiskSource> open(JobRequest request) {
    List<DiskSource> open = new ArrayList<>();
    try {
      for (JobRequest.Disk disk : request.disks()) {
        open.add(DirectSource.open(disk.name(), disk.path(), request.raw()));
      }
      return open;
    } catch (RuntimeException e) {
      open.forEach(DiskSource::close);
      throw e;
    }
  }

  private static Progress waiting(JobRequest request) {
    return new Progress(
        "connect",
        0,
        0,
        0,
        0,
        0,
        "waiting for %s: the proxy works on another directory".formatted(request.to()),
        null);
  }
}
