package dev.mover.transport.link;

import dev.mover.transport.frame.Welcome;
import java.util.UUID;

/**
 * What a repository does with a link that a proxy opened: a new session for each. Called on a
 * transport's thread, by many links at once; must not block.
 */
@FunctionalInterface
public interface LinkServer {
  /**
   * A client said HELLO and its version fits. Called before any other frame is delivered; the
   * returned session's receiver gets the bulk frames, and its {@link Session#start} is called once
   * with the ready link. An exception goes to the client as ERROR instead of WELCOME.
   */
  Session accept(String peer);

  /** What the repository says of itself; the transport fills in version and software. */
  default Identity identity() {
    return Identity.UNNAMED;
  }

  /**
   * Part of {@link Welcome}.
   *
   * @param cloneMode the extent's mode for people, for example {@code cloning on xfs, 4 KiB
   *     aligned}
   */
  record Identity(UUID repositoryId, String cloneMode) {
    /** For links that serve no repository. */
    public static final Identity UNNAMED = new Identity(new UUID(0, 0), "");
  }

  /** One accepted link's server side. */
  interface Session {
    BulkReceiver receiver();

    /** The handshake is done; subscribe to {@link FrameLink#control} here. Must not block. */
    void start(FrameLink link);
  }
}
