package dev.mover.transport.link;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.MoverException;
import java.net.InetSocketAddress;

/**
 * Where a daemon listens, and what it says when it can't.
 *
 * @param host a name or literal of this machine, {@code 0.0.0.0} or {@code ::}
 * @param port 0 to 65535, 0 is any free one
 */
public record ListenAddress(String host, int port) {
  /**
   * Asks the name service when {@code host} is a name, so it may block.
   *
   * @throws InputException BAD_ADDRESS
   */
  public InetSocketAddress resolve() {
    if (port < 0 || port > 65535) {
      throw bad("a port is 0 to 65535");
    }
    InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw bad("the name is unknown");
    }
    return address;
  }

  /**
   * PORT_IN_USE or BAD_ADDRESS for a failed bind: the operating system's words are the innermost.
   */
  public MoverException refused(Throwable failure) {
    String why = String.valueOf(failure.getMessage());
    for (Throwable e = failure; e != null; e = e.getCause()) {
      why = e.getMessage() == null ? why : e.getMessage();
    }
    return why.contains("in use")
        ? new LinkException(
            ErrorCode.PORT_IN_USE,
            "port %d on %s is in use by another process; stop it or choose another port"
                .formatted(port, host),
            failure)
        : bad(why);
  }

  private InputException bad(String why) {
    return new InputException(
        ErrorCode.BAD_ADDRESS,
        "cannot listen on %s: %s; use an address of this machine, 0.0.0.0 or ::"
            .formatted(RepositoryAddress.authority(host, port), why));
  }
}
