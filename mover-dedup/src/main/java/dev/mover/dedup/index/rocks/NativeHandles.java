package dev.mover.dedup.index.rocks;

import java.util.ArrayDeque;
import java.util.Deque;
import org.rocksdb.AbstractImmutableNativeReference;

/**
 * Native objects that live as long as their store. They are closed last-made first: whatever refers
 * to another was made after it. Not thread-safe; the store's lock guards it.
 */
final class NativeHandles implements AutoCloseable {
  private final Deque<AbstractImmutableNativeReference> open = new ArrayDeque<>();

  <T extends AbstractImmutableNativeReference> T own(T handle) {
    open.push(handle);
    return handle;
  }

  int count() {
    return open.size();
  }

  @Override
  public void close() {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }
}
