package dev.mover.transport.netty;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.transport.link.RepositoryAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Socket addresses to and from what people write. */
final class Addresses {
  private Addresses() {}

  /** {@code 192.0.2.1:7700} or {@code [::1]:7700}. */
  static String text(SocketAddress address) {
    return address instanceof InetSocketAddress inet
        ? RepositoryAddress.authority(host(inet), inet.getPort())
        : String.valueOf(address);
  }

  /**
   * The local address to listen on. Asks the name service for a name, so it may block.
   *
   * @throws InputException BAD_ADDRESS
   */
  static InetSocketAddress local(String host, int port) {
    if (port < 0 || port > 65535) {
      throw bad(host, port, "a port is 0 to 65535");
    }
    InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw bad(host, port, "the name is unknown");
    }
    return address;
  }

  static InputException bad(String host, int port, String why) {
    return new InputException(
        ErrorCode.BAD_ADDRESS,
        "cannot listen on %s: %s; use an address of this machine, 0.0.0.0 or ::"
            .formatted(RepositoryAddress.authority(host, port), why));
  }

  private static String host(InetSocketAddress address) {
    return address.isUnresolved() ? address.getHostString() : address.getAddress().getHostAddress();
  }
}
