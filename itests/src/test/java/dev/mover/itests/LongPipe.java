package dev.mover.itests;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A line between two ports of this host: so many bytes a second in each direction, and each byte
 * takes half the round trip. It holds what is under way and no more, as a long line does.
 */
final class LongPipe implements AutoCloseable {
  private static final int PIECE_BYTES = 64 << 10;
  private static final byte[] END = new byte[0];

  private final ServerSocket entry;
  private final InetSocketAddress exit;
  private final double nsPerByte;
  private final long delayNs;

  private record Piece(byte[] bytes, long arrivesNs) {}

  private LongPipe(ServerSocket entry, InetSocketAddress exit, double nsPerByte, long delayNs) {
    this.entry = entry;
    this.exit = exit;
    this.nsPerByte = nsPerByte;
    this.delayNs = delayNs;
  }

  static LongPipe to(InetSocketAddress exit, double bytesPerSec, long roundTripMs) {
    try {
      ServerSocket entry = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
      LongPipe pipe =
          new LongPipe(
              entry, exit, 1e9 / bytesPerSec, TimeUnit.MILLISECONDS.toNanos(roundTripMs) / 2);
      pipe.start("accept", pipe::accept);
      return pipe;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port() {
    return entry.getLocalPort();
  }

  private void start(String what, Runnable work) {
    Thread.ofPlatform().daemon().name("pipe-" + what).start(work);
  }

  private void accept() {
    while (true) {
      try {
        Socket near = entry.accept();
        Socket far = new Socket(exit.getAddress(), exit.getPort());
        carry(near, far);
        carry(far, near);
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  /** One direction: a thread takes bytes in at the line's rate, another hands them out in time. */
  private void carry(Socket from, Socket to) {
    int most = (int) (delayNs / nsPerByte / PIECE_BYTES) + 2;
    BlockingQueue<Piece> line = new ArrayBlockingQueue<>(most);
    start("in", () -> takeIn(from, line));
    start("out", () -> handOut(line, to));
  }

  private void takeIn(Socket from, BlockingQueue<Piece> line) {
    byte[] bytes = new byte[PIECE_BYTES];
    long freeNs = System.nanoTime();
    try {
      InputStream in = from.getInputStream();
      for (int got = in.read(bytes); got > 0; got = in.read(bytes)) {
        freeNs = Math.max(freeNs, System.nanoTime()) + (long) (got * nsPerByte);
        awaitNs(freeNs);
        line.put(new Piece(Arrays.copyOf(bytes, got), freeNs + delayNs));
      }
      line.put(new Piece(END, System.nanoTime() + delayNs));
    } catch (IOException e) {
      line.offer(new Piece(END, System.nanoTime()));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void handOut(BlockingQueue<Piece> line, Socket to) {
    try {
      OutputStream out = to.getOutputStream();
      for (Piece piece = line.take(); piece.bytes.length > 0; piece = line.take()) {
        awaitNs(piece.arrivesNs);
        out.write(piece.bytes);
      }
      to.shutdownOutput();
    } catch (IOException e) {
      // the other end is gone
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void awaitNs(long timeNs) {
    for (long left = timeNs - System.nanoTime(); left > 0; left = timeNs - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  @Override
  public void close() {
    try {
      entry.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
