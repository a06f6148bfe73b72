package dev.mover.itests;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** A TCP way to a repository that breaks, connection after connection, as its breaks say. */
final class BrokenPipe implements AutoCloseable {
  private static final int PIECE_BYTES = 64 << 10;

  /** How a connection ends. */
  enum How {
    /** RST to both sides. */
    RESET,
    /** The end of the stream to both sides. */
    CLOSE,
    /** The proxy sees the end, the repository sees nothing. */
    HALF_OPEN,
    /** Nothing reaches the repository any more, and nobody is told. */
    DEAF,
    /** Nothing reaches the proxy any more, and nobody is told. */
    MUTE
  }

  /**
   * A connection's end.
   *
   * @param afterBytes that it has carried to the repository, and none beyond
   */
  record Break(How how, long afterBytes) {}

  private static final Break NEVER = new Break(How.CLOSE, Long.MAX_VALUE);

  private final ServerSocket entry;
  private final InetSocketAddress exit;
  private final Queue<Break> breaks;
  private final AtomicInteger connections = new AtomicInteger();
  private final Queue<Socket> open = new ConcurrentLinkedQueue<>();

  private BrokenPipe(ServerSocket entry, InetSocketAddress exit, List<Break> breaks) {
    this.entry = entry;
    this.exit = exit;
    this.breaks = new ConcurrentLinkedQueue<>(breaks);
  }

  /** Connections break one after the other as told; those after them hold. */
  static BrokenPipe to(InetSocketAddress exit, List<Break> breaks) {
    try {
      ServerSocket entry = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
      BrokenPipe pipe = new BrokenPipe(entry, exit, breaks);
      start("accept", pipe::accept);
      return pipe;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port() {
    return entry.getLocalPort();
  }

  int connections() {
    return connections.get();
  }

  private static void start(String what, Runnable work) {
    Thread.ofPlatform().daemon().name("broken-pipe-" + what).start(work);
  }

  private void accept() {
    while (true) {
      try {
        Socket near = entry.accept();
        Socket far = new Socket(exit.getAddress(), exit.getPort());
        open.addAll(List.of(near, far));
        connections.incrementAndGet();
        Break end = breaks.poll();
        start("carry", new Connection(near, far, end == null ? NEVER : end)::begin);
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  /** One connection, and how it ends. */
  private record Connection(Socket near, Socket far, Break end, AtomicBoolean mute) {
    Connection(Socket near, Socket far, Break end) {
      this(near, far, end, new AtomicBoolean());
    }

    void begin() {
      start("back", () -> carry(far, near, Long.MAX_VALUE, mute::get));
      if (carry(near, far, end.afterBytes(), () -> false)) {
        switch (end.how()) {
          case DEAF -> carry(near, far, Long.MAX_VALUE, () -> true);
          case MUTE -> {
            mute.set(true);
            carry(near, far, Long.MAX_VALUE, () -> false);
          }
          default -> cut();
        }
      }
    }

    /** Until so many bytes are over (true), or a side has ended. */
    private boolean carry(Socket from, Socket to, long most, BooleanSupplier swallow) {
      byte[] bytes = new byte[PIECE_BYTES];
      long left = most;
      try {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        while (left > 0) {
          int got = in.read(bytes, 0, (int) Math.min(bytes.length, left));
          if (got < 0) {
            to.shutdownOutput();
            return false;
          }
          if (!swallow.getAsBoolean()) {
            out.write(bytes, 0, got);
          }
          left -= got;
        }
        return true;
      } catch (IOException e) {
        close(from);
        close(to);
        return false;
      }
    }

    private void cut() {
      try {
        if (end.how() == How.RESET) {
          near.setSoLinger(true, 0);
          far.setSoLinger(true, 0);
        }
      } catch (SocketException e) {
        throw new UncheckedIOException(e); // it was open a moment ago
      }
      close(near);
      if (end.how() != How.HALF_OPEN) {
        close(far);
      }
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      entry.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    open.forEach(BrokenPipe::close);
  }
}
