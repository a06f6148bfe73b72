package dev.mover.transport.http;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A client that may be as impolite as a test needs it. */
final class RawHttp implements AutoCloseable {
  private static final int PATIENCE_MS = 20_000;

  private final Socket socket = new Socket();

  RawHttp(InetSocketAddress address, int receiveBufferBytes) throws IOException {
    socket.setReceiveBufferSize(receiveBufferBytes);
    socket.setSoTimeout(PATIENCE_MS);
    socket.connect(address, PATIENCE_MS);
  }

  RawHttp(InetSocketAddress address) throws IOException {
    this(address, 64 << 10);
  }

  void say(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Reads up to and with {@code end}, or to the end of the connection. */
  String hear(String end) throws IOException {
    StringBuilder heard = new StringBuilder();
    InputStream in = socket.getInputStream();
    int c;
    while (heard.indexOf(end, heard.length() - end.length()) < 0 && (c = in.read()) >= 0) {
      heard.append((char) c);
    }
    return heard.toString();
  }

  /** Everything to the end of the connection. */
  String hearOut() throws IOException {
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  /** Whether the other side has closed; waits for it or for a byte. */
  boolean isShutOut() throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (java.net.SocketException e) {
      return true; // reset
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
