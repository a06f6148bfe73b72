package dev.mover.proxy;

import dev.mover.api.status.LoadLine;
import org.jspecify.annotations.Nullable;

/**
 * Where a run stands. Emitted a few times a second, on no particular thread.
 *
 * @param phase {@code connect}, {@code queue}, {@code transfer}, {@code commit}, {@code restore},
 *     {@code done}
 * @param percent 0 to 100, never falling within a run; 100 exactly when done
 * @param doneBytes of {@code totalBytes}, bytes of disk dealt with (zero, known or stored; written
 *     by a restore)
 * @param totalBytes 0 until it is known
 * @param sentBytes payload bytes sent (or received)
 * @param tasks disks streaming now
 * @param detail one line for people, for example why it waits; may be empty
 * @param load busy share of the stages since the first disk streamed; null outside a transfer
 */
public record Progress(
    String phase,
    double percent,
    long doneBytes,
    long totalBytes,
    long sentBytes,
    int tasks,
    String detail,
    @Nullable LoadLine load) {

  /** Takes progress; must not block for long. */
  @FunctionalInterface
  public interface Listener {
    void on(Progress progress);

    Listener NONE = progress -> {};
  }
}
