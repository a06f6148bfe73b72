package dev.mover.repository.link;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.repository.extent.Strand;
import dev.mover.repository.figures.Figures;
import dev.mover.transport.frame.ErrorFrame;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.link.FrameLink;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** A link as its role sees it. Thread-safe; nothing here blocks. */
public final class LinkContext {
  private static final Logger LOG = LoggerFactory.getLogger(LinkContext.class);

  private final FrameLink link;
  private final Strand strand;
  private final Figures figures;
  private final AtomicBoolean over = new AtomicBoolean();

  public LinkContext(FrameLink link, Strand strand, Figures figures) {
    this.link = link;
    this.strand = strand;
    this.figures = figures;
  }

  public FrameLink link() {
    return link;
  }

  public Strand strand() {
    return strand;
  }

  public String peer() {
    return link.peer();
  }

  public void send(Frame frame) {
    link.send(frame);
  }

  /** Whether the link failed or was closed: the cancel flag of everything done for it. */
  public boolean isOver() {
    return over.get();
  }

  /** Nothing further will come or go; long work stops at its next look at {@link #isOver}. */
  public void over() {
    over.set(true);
  }

  /** Throws CANCELLED when the link is over. */
  public void checkOver() {
    if (isOver()) {
      throw MoverException.of(
          ErrorCode.CANCELLED, Side.REPOSITORY, "the link to " + peer() + " ended meanwhile");
    }
  }

  /**
   * Tells the peer and closes the link. The link's end then reaches the role by its control flux,
   * as any other end does. Only the first failure is told.
   */
  public void fail(Throwable cause) {
    if (!over.compareAndSet(false, true)) {
      return;
    }
    MoverException error = asMoverException(peer(), cause);
    LOG.atLevel(isNews(error) ? Level.WARN : Level.INFO)
        .log("{}: {} ({})", peer(), error.getMessage(), error.code());
    figures.failed(error.code());
    link.send(new ErrorFrame(error.code().number(), error.side(), cut(error.getMessage())));
    link.close();
  }

  /** Whether the log is the place to learn of it: not what was asked for, nor what is told here. */
  private boolean isNews(MoverException error) {
    return error.code() != ErrorCode.SHUTTING_DOWN && !link.isInProcess();
  }

  /** What the peer is told of a failure; one that nobody foresaw is logged. */
  public static MoverException asMoverException(String peer, Throwable cause) {
    if (cause instanceof MoverException known) {
      return known;
    }
    LOG.error("{}: unexpected failure", peer, cause);
    return MoverException.of(
        ErrorCode.INTERNAL,
        Side.REPOSITORY,
        "the repository failed unexpectedly (%s); its log says more".formatted(cause),
        cause);
  }

  /** As many characters as fit {@link Frame#MAX_TEXT} bytes. */
  public static String cut(String text) {
    int end = Math.min(text.length(), Frame.MAX_TEXT);
    while (text.substring(0, end).getBytes(StandardCharsets.UTF_8).length > Frame.MAX_TEXT) {
      end--;
    }
    if (end < text.length() && end > 0 && Character.isHighSurrogate(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(0, end);
  }

  public static LinkException violation(String what) {
    return new LinkException(
        ErrorCode.PROTOCOL_VIOLATION, what + "; both sides must run movers of matching versions");
  }
}
