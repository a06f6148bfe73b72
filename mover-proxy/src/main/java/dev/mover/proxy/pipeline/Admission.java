package dev.mover.proxy.pipeline;

import dev.mover.api.block.BlockSize;
import dev.mover.transport.frame.BulkHeader;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.BooleanSupplier;

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
  private int underWay;

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

  /**
   * A task lets one block go: it costs the same however small it packs. It is under way until it
   * has {@link #landed}.
   */
  void spendCredit() {
    creditBytes -= blockCost;
    underWay++;
  }

  /** A block that went on is sent, or will not be. */
  void landed() {
    underWay--;
  }

  /** Whether no block is being packed or sent. */
  boolean isQuiet() {
    return underWay == 0;
  }

  /** Credit was the link's; the next one brings its own. */
  void linkLost() {
    creditBytes = 0;
    line.close(); // it asks again when there is credit
  }

  private boolean hasCredit() {
    return creditBytes >= blockCost;
  }

  /**
   * Takes credit for a block that is sent again, waiting for it and for the link. Any thread.
   *
   * @return false, and nothing is taken, when {@code stale} says so first
   */
  boolean awaitCredit(int plainBytes, BooleanSupplier stale) {
    synchronized (monitor) {
      monitor.await(() -> stale.getAsBoolean() || (hasCredit() && line.tryPass(plainBytes)));
      if (stale.getAsBoolean()) {
        return false;
      }
      spendCredit();
      return true;
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
