package dev.mover.proxy.pipeline;

import dev.mover.api.status.Stage;
import dev.mover.api.status.StageClock;
import dev.mover.api.status.StageClock.State;
import dev.mover.api.status.StageFigures;
import java.util.EnumMap;
import java.util.Map;

/**
 * Where a task's time goes at the proxy: one clock a stage, told of everything that begins and
 * ends. A session has one of its own, told of the same, since its tasks overlap. Guarded by the
 * session's lock.
 *
 * <p>Source and network are busy while at least one read or send is under way. The proxy's CPU is
 * busy by the work its workers did, divided by their number: one of two workers at work is half
 * busy. A link that is limited is busy while a block waits for the limit, and in any case as much
 * as the limit is used. The repository measures the target itself.
 */
final class StageTimes {
  private final int workers;
  private final StageClock source = new StageClock();
  private final StageClock proxy = new StageClock();
  private final StageClock network = new StageClock();
  private int reads;
  private int steps;
  private int sends;
  private boolean reading;
  private boolean held;
  private boolean limited;
  private long cpuNs;
  private long atLimitNs;
  private long readBytes;
  private long sentBytes;

  StageTimes(int workers) {
    this.workers = workers;
  }

  /** The disk is being read from here on: a source without a read under way waits. */
  void begin() {
    reading = true;
    observe();
  }

  /** Nothing more will be read. */
  void allRead() {
    reading = false;
    observe();
  }

  /** Nothing more will happen. */
  void end() {
    long now = System.nanoTime();
    source.set(State.STOPPED, now);
    proxy.set(State.STOPPED, now);
    network.set(State.STOPPED, now);
  }

  void readBegins() {
    reads++;
    observe();
  }

  void readEnds(long bytes) {
    reads--;
    readBytes += bytes;
    observe();
  }

  void stepQueued() {
    steps++;
    observe();
  }

  void stepEnds(long ns) {
    steps--;
    cpuNs += ns;
    observe();
  }

  void sendBegins() {
    sends++;
    observe();
  }

  /**
   * A block is in the socket, or dropped.
   *
   * @param limitNs what its bytes take at the link's limit
   */
  void sendEnds(long bytes, long limitNs) {
    sends--;
    sentBytes += bytes;
    atLimitNs += limitNs;
    observe();
  }

  /** Whether blocks wait for the repository's credit, or for the link's limit. */
  void held(boolean forCredit, boolean forLink) {
    if (held != forCredit || limited != forLink) {
      held = forCredit;
      limited = forLink;
      observe();
    }
  }

  private void observe() {
    long now = System.nanoTime();
    source.set(reads > 0 ? State.BUSY : reading ? State.OUTPUT_WAIT : State.INPUT_WAIT, now);
    proxy.set(steps > 0 ? State.BUSY : held || limited ? State.OUTPUT_WAIT : State.INPUT_WAIT, now);
    network.set(
        sends > 0 || limited ? State.BUSY : held ? State.OUTPUT_WAIT : State.INPUT_WAIT, now);
  }

  /** Figures of the three stages the proxy can see. */
  Map<Stage, StageFigures> figures() {
    long now = System.nanoTime();
    Map<Stage, StageFigures> figures = new EnumMap<>(Stage.class);
    figures.put(Stage.SOURCE, source.figures(readBytes, now));
    figures.put(Stage.PROXY, byWork(proxy.figures(readBytes, now)));
    figures.put(Stage.NETWORK, atLeast(atLimitNs, network.figures(sentBytes, now)));
    return figures;
  }

  /** Figures with at least so much busy time, at the cost of the waits. */
  private static StageFigures atLeast(long ns, StageFigures f) {
    long moreNs = Math.clamp(ns - f.busyNs(), 0, f.inputWaitNs() + f.outputWaitNs());
    long fromInputNs = Math.min(moreNs, f.inputWaitNs());
    return new StageFigures(
        f.busyNs() + moreNs,
        f.inputWaitNs() - fromInputNs,
        f.outputWaitNs() - (moreNs - fromInputNs),
        f.bytes());
  }

  /** Time in which some workers stood still while others worked was time without enough input. */
  private StageFigures byWork(StageFigures any) {
    long busy = Math.min(cpuNs / workers, any.busyNs());
    return new StageFigures(
        busy, any.inputWaitNs() + any.busyNs() - busy, any.outputWaitNs(), any.bytes());
  }
}
