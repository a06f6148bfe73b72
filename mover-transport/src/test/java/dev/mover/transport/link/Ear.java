package dev.mover.transport.link;

import dev.mover.transport.frame.Frame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Hears everything a link's control flux says, and lets the test's thread wait for it. */
public final class Ear {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final List<Frame> frames = new ArrayList<>();
  private boolean ended;
  private @Nullable Throwable error;

  /** Subscribes to the link's control frames, taking all there are. */
  public static Ear on(FrameLink link) {
    Ear ear = new Ear();
    var _ = link.control().subscribe(ear::heard, ear::failed, ear::completed);
    return ear;
  }

  /** The first {@code count} frames, once there are so many. */
  public synchronized List<Frame> frames(int count) {
    await(() -> frames.size() >= count || ended);
    if (frames.size() < count) {
      throw new AssertionError("heard only " + frames + ", then " + error, error);
    }
    return List.copyOf(frames.subList(0, count));
  }

  /** What ended the link; null when it was closed in good order. */
  public synchronized @Nullable Throwable end() {
    await(() -> ended);
    return error;
  }

  private synchronized void heard(Frame frame) {
    frames.add(frame);
    notifyAll();
  }

  private synchronized void failed(Throwable reason) {
    error = reason;
    completed();
  }

  private synchronized void completed() {
    ended = true;
    notifyAll();
  }

  private void await(BooleanSupplier condition) {
    Waiting.on(this, PATIENCE, condition);
  }
}
