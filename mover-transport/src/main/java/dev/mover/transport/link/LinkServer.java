package dev.mover.transport.link;

/** What a repository does with a link that a proxy opened: a new handler for each. */
@FunctionalInterface
public interface LinkServer {
  /**
   * A link was accepted. Called before any frame is delivered; the returned session's receiver gets
   * the bulk frames, and its {@link Session#start} is called once with the ready link.
   */
  Session accept(String peer);

  /** One accepted link's server side. */
  interface Session {
    BulkReceiver receiver();

    /** The handshake is done; subscribe to {@link FrameLink#control} here. Must not block. */
    void start(FrameLink link);
  }
}
