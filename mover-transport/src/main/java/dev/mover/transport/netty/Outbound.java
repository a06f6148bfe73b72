package dev.mover.transport.netty;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import reactor.util.concurrent.Queues;

/**
 * The way out of one link. Any thread adds; the event loop alone writes, many frames with one
 * flush.
 *
 * <p>Bounds: bulk by the credit its senders hold, control by {@link #MAX_CONTROL_BYTES}, so a peer
 * that asks and does not read cannot fill the heap. A bulk payload is never copied: the socket
 * reads the sender's direct memory, and {@code released} runs when the kernel has it or the channel
 * is gone.
 */
@SuppressWarnings("FutureReturnValueIgnored") // how a channel ends is told by channelInactive
final class Outbound {
  /**
   * 64 of the largest control frames; answers are small and pulled, so only a deaf peer gets here.
   */
  static final long MAX_CONTROL_BYTES = 32 << 20;

  /** A flush is a system call, and the peer waits for it: not more than a block goes unflushed. */
  private static final long FLUSH_BYTES = 1 << 20;

  private final Channel channel;
  private final Queue<Outgoing> queue = Queues.<Outgoing>unboundedMultiproducer().get();
  private final AtomicInteger added = new AtomicInteger();
  private final AtomicLong controlBytes = new AtomicLong();
  private final Runnable onLastWritten;
  private boolean sealed;

  /**
   * @param onLastWritten on the event loop, when the last frame is in the socket or can't get there
   */
  Outbound(Channel channel, Runnable onLastWritten) {
    this.channel = channel;
    this.onLastWritten = onLastWritten;
  }

  /** False when the peer has left too much unread; the frame is dropped then. */
  boolean add(Outgoing.Control frame) {
    int length = frame.bytes().remaining();
    if (controlBytes.addAndGet(length) > MAX_CONTROL_BYTES) {
      controlBytes.addAndGet(-length);
      return false;
    }
    enqueue(frame);
    return true;
  }

  void add(Outgoing.Bulk frame) {
    enqueue(frame);
  }

  void add(Outgoing.Last frame) {
    enqueue(frame);
  }

  /** Event loop: nothing is written any more, what is queued is released. */
  void seal() {
    sealed = true;
    for (Outgoing next = queue.poll(); next != null; next = queue.poll()) {
      drop(next);
    }
  }

  /** Bytes that wait for the kernel, as far as the event loop knows. Event loop. */
  long pendingBytes() {
    var buffer = channel.unsafe().outboundBuffer();
    return buffer == null ? 0 : buffer.totalPendingWriteBytes();
  }

  private void enqueue(Outgoing frame) {
    queue.add(frame);
    if (added.getAndIncrement() == 0) {
      try {
        channel.eventLoop().execute(this::drain);
      } catch (RejectedExecutionException e) {
        dropAll(); // the event loop has ended and with it the channel
      }
    }
  }

  private void drain() {
    int seen = added.get();
    long unflushed = 0;
    do {
      for (Outgoing next = queue.poll(); next != null; next = queue.poll()) {
        unflushed += write(next);
        if (unflushed >= FLUSH_BYTES) {
          channel.flush();
          unflushed = 0;
        }
      }
      seen = added.addAndGet(-seen);
    } while (seen != 0);
    channel.flush();
  }

  private long write(Outgoing next) {
    if (sealed) {
      drop(next);
      return 0;
    }
    return switch (next) {
      case Outgoing.Control(var bytes) -> {
        int length = bytes.remaining();
        channel
            .write(Unpooled.wrappedBuffer(bytes))
            .addListener(_ -> controlBytes.addAndGet(-length));
        yield length;
      }
      case Outgoing.Bulk(var prefix, var payload, var released) -> {
        int length = prefix.remaining() + payload.remaining();
        channel.write(Unpooled.wrappedBuffer(prefix), channel.voidPromise());
        channel.write(Unpooled.wrappedBuffer(payload)).addListener(_ -> released.run());
        yield length;
      }
      case Outgoing.Last(var bytes) -> {
        sealed = true;
        channel.write(Unpooled.wrappedBuffer(bytes)).addListener(_ -> onLastWritten.run());
        yield FLUSH_BYTES;
      }
    };
  }

  private void dropAll() {
    int seen = added.get();
    do {
      for (Outgoing next = queue.poll(); next != null; next = queue.poll()) {
        drop(next);
      }
      seen = added.addAndGet(-seen);
    } while (seen != 0);
  }

  private void drop(Outgoing next) {
    switch (next) {
      case Outgoing.Control(var bytes) -> controlBytes.addAndGet(-bytes.remaining());
      case Outgoing.Bulk bulk -> bulk.released().run();
      case Outgoing.Last _ -> {}
    }
  }
}
