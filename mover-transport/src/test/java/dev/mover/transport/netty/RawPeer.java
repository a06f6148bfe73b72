package dev.mover.transport.netty;

import dev.mover.transport.carrier.VersionRange;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.FrameCodecs;
import dev.mover.transport.frame.FrameHeader;
import dev.mover.transport.frame.Hello;
import dev.mover.transport.frame.Welcome;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.UUID;

/** The other side of a link played by hand over a plain blocking socket, for better or worse. */
final class RawPeer implements AutoCloseable {
  private final Socket socket;
  private final DataInputStream in;

  RawPeer(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(20_000);
    socket.setTcpNoDelay(true);
    in = new DataInputStream(socket.getInputStream());
  }

  static RawPeer connect(InetSocketAddress address) throws IOException {
    return new RawPeer(new Socket(address.getAddress(), address.getPort()));
  }

  /** Says HELLO and takes the WELCOME, or fails. */
  RawPeer greet() throws IOException {
    send(new Hello(VersionRange.OURS.lowest(), VersionRange.OURS.highest(), "raw"));
    if (!(read() instanceof Welcome)) {
      throw new AssertionError("no WELCOME");
    }
    return this;
  }

  /** Takes the HELLO and says WELCOME. */
  RawPeer welcome(int version) throws IOException {
    if (!(read() instanceof Hello)) {
      throw new AssertionError("no HELLO");
    }
    send(new Welcome(version, "raw", new UUID(1, 2), ""));
    return this;
  }

  void send(Frame frame) throws IOException {
    send(FrameCodecs.encode(frame));
  }

  void send(ByteBuffer bytes) throws IOException {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    socket.getOutputStream().write(copy);
  }

  void send(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  Frame read() throws IOException {
    byte[] header = in.readNBytes(FrameHeader.BYTES);
    FrameHeader read = FrameHeader.read(ByteBuffer.wrap(header));
    return FrameCodecs.decode(read.type(), ByteBuffer.wrap(in.readNBytes(read.payloadLength())));
  }

  /** Whether the other side closed in good order, with nothing more to read. */
  boolean isAtEnd() throws IOException {
    return in.read() < 0;
  }

  void close(boolean withReset) throws IOException {
    if (withReset) {
      socket.setSoLinger(true, 0);
    }
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
