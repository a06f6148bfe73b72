package dev.mover.transport.link;

import reactor.core.publisher.Mono;

/** How a client reaches a repository: over TCP, or in the same process. */
public interface LinkConnector {
  /**
   * Connects, says HELLO and waits for WELCOME within the handshake deadline.
   *
   * <p>Fails with {@link dev.mover.api.error.LinkException} CONNECT_FAILED, NOT_A_MOVER,
   * VERSION_UNSUPPORTED or DEADLINE_PASSED. Cancelling closes what was opened.
   */
  Mono<FrameLink> connect(BulkReceiver receiver);

  /** The repository's address for people, for example {@code mover://[::1]:7700}. */
  String address();
}
