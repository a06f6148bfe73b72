package dev.mover.proxy.pipeline;

import dev.mover.api.block.BlockSize;
import dev.mover.transport.frame.BulkHeader;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Lets wanted blocks go on to packing: what one of them needs is the repository's credit, room on
 * the link, and a send buffer of its task. Guarded by the session's monitor.
 */
final class Admission implements AutoCloseable {
  private final SessionMonitor monitor;
  private final SessionFigures figures;
  private final LinkLimits.Line line;
  private final long blockCost;
  private final Queue<DiskTask> turn = new ArrayDeque<>();
  private long creditBytes;

  Admission(
      SessionMonitor monitor,
      SessionFigures figures,
      BlockSize blockSize,
      LinkLimits limits,
      String address) {
    this.monitor = monitor;
    this.figures = figures;
    this.blockCost = BulkHeader.cost(blockSize);
    this.line = limits.line(address, this::wake);
  }

  /** What the link may carry; any thread. */
  LinkLimits.Line line() {
    return line;
  }

  void join(DiskTask task) {
    turn.add(task);
  }

  void leave(DiskTask task) {
    turn.remove(task);
  }

  /** The repository allows more to be in flight. */
  void grant(long bytes) {
    creditBytes += bytes;
  }

  /** A task lets one block go: it costs the same however small it packs. */
  void spendCredit() {
    creditBytes -= blockCost;
  }

  private boolean hasCredit() {
    return creditBytes >= blockCost;
  }

  /** Takes credit for a block that is sent again, waiting for it and for the link. Any thread. */
  void awaitCredit(int plainBytes) {
    synchronized (monitor) {
      monitor.await(() -> hasCredit() && line.tryPass(plainBytes));
      spendCredit();
    }
  }

  /**
   * Lets wanted blocks go, one a task in turn, while credit and buffers last and the link does not
   * owe. The turn goes on from call to call: credit comes back a block at a time.
   */
  void admit() {
    if (monitor.failed()) {
      line.close(); // it never asks again, and must not keep the others from their turn
    }
    int refused = 0;
    while (!monitor.failed() && hasCredit() && refused < turn.size()) {
      DiskTask task = turn.remove();
      turn.add(task);
      refused = task.admitOne() ? 0 : refused + 1;
    }
    boolean credit = hasCredit();
    boolean limited = line.isWaiting();
    turn.forEach(task -> task.observeHold(!credit, limited));
    boolean wanted = turn.stream().anyMatch(DiskTask::hasWanted);
    figures.times().held(!credit && wanted, limited && wanted);
  }

  /** Something that was short came free; takes the monitor itself. Any thread. */
  void wake() {
    synchronized (monitor) {
      admit();
      monitor.notifyAll();
    }
  }

  @Override
  public void close() {
    line.close();
  }
}
