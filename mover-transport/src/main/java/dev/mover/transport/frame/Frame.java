package dev.mover.transport.frame;

/**
 * A control frame. Bulk payloads have {@link BulkHeader} instead. Each frame's layout stands beside
 * its record's codec; every length in it is bounded before anything is allocated.
 */
public sealed interface Frame
    permits Hello,
        Welcome,
        Open,
        Opened,
        BeginDisk,
        Queued,
        Granted,
        Zero,
        Same,
        Offer,
        Answer,
        Ack,
        Credit,
        Need,
        Checkpoint,
        EndDisk,
        Commit,
        CommitProgress,
        Committed,
        Abort,
        Resume,
        Ping,
        Pong,
        Bye,
        ErrorFrame,
        ListPoints,
        Points,
        ReadPoint,
        Point,
        ReadMap,
        MapPart,
        Get,
        Sent,
        ReadKeys,
        Keys,
        Verify,
        Damage,
        VerdictFrame,
        Delete,
        Retain,
        Removed,
        ListPartials,
        RemovePartials,
        Partials {

  /** The one protocol version there is so far. */
  int VERSION = 1;

  /** Bytes of UTF-8 any free text in a frame may have; longer text is cut by its sender. */
  int MAX_TEXT = 1024;

  /**
   * Texts a list of warnings or findings may have; the last of a longer list says how many more.
   */
  int MAX_LINES = 64;

  /** Bytes of payload no control frame passes; {@link FrameType#maxPayload} is tighter for most. */
  int MAX_PAYLOAD = 512 << 10;
}
