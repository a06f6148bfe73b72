package dev.mover.proxy.pipeline;

import dev.mover.api.error.MoverException;
import dev.mover.transport.frame.Abort;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.Open;
import dev.mover.transport.frame.Resume;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.FrameLink;
import dev.mover.transport.link.LinkConnector;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a repository that waits for a session that it is given up: it was, here, while its link was
 * lost. One short try; a repository that is not told forgets the session by its own deadline.
 */
final class Farewell {
  private static final Logger log = LoggerFactory.getLogger(Farewell.class);

  /** Who cancels waits for it, and so does the end of a daemon. */
  private static final Duration WITHIN = Duration.ofSeconds(3);

  private final LinkConnector connector;
  private final Open open;

  Farewell(LinkConnector connector, Open open) {
    this.connector = connector;
    this.open = open;
  }

  /** Blocks for at most three times {@link #WITHIN}; fails never. */
  void tell(MoverException why) {
    CompletableFuture<@Nullable FrameLink> coming = connector.connect(BulkReceiver.NONE).toFuture();
    try {
      FrameLink link = Objects.requireNonNull(coming.get(WITHIN.toMillis(), TimeUnit.MILLISECONDS));
      CompletableFuture<@Nullable Frame> answer = new CompletableFuture<>();
      link.control()
          .subscribe(answer::complete, answer::completeExceptionally, () -> answer.complete(null));
      link.send(new Resume(open.sessionId(), open.machine()));
      answer.get(WITHIN.toMillis(), TimeUnit.MILLISECONDS); // or nobody would listen yet
      link.send(new Abort(String.valueOf(why.getMessage())));
      link.close();
      link.onClose().toFuture().get(WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      log.info("{}: could not be told that the session is given up: {}", connector.address(), e);
      if (!coming.cancel(true)) {
        coming.whenComplete(Farewell::closeLate).exceptionally(_ -> null);
      }
    }
  }

  private static void closeLate(@Nullable FrameLink link, @Nullable Throwable error) {
    if (link != null) {
      link.abandon();
    } else {
      log.debug("nobody came", error);
    }
  }
}
