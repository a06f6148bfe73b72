package dev.mover.transport.netty;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.transport.carrier.FrameParser;
import dev.mover.transport.carrier.LinkEnd;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.FrameType;
import dev.mover.transport.link.BulkReceiver;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.jspecify.annotations.Nullable;

/**
 * Where bytes enter and are released: each socket buffer is parsed and released before {@link
 * #channelRead} returns. Bulk payloads are copied into lent buffers here; only decoded control
 * frames, which own no memory but heap, go further up the pipeline. Confined to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // how a channel ends is told by channelInactive
final class FrameDecoder extends ChannelInboundHandlerAdapter implements FrameParser.Sink {
  private final LinkEnd end;
  private final FrameParser parser = new FrameParser(this);
  private final Runnable onInactive;
  private @Nullable ChannelHandlerContext context;
  private boolean discarding;
  private long lastReadNanos = System.nanoTime();

  /**
   * @param onInactive the channel is closed; runs before the end is told
   */
  FrameDecoder(LinkEnd end, Runnable onInactive) {
    this.end = end;
    this.onInactive = onInactive;
  }

  /** Throws arriving bytes away from now on and gives a lent buffer back. */
  void discard() {
    discarding = true;
    parser.abandon();
  }

  /** When bytes last arrived, on the clock of {@link System#nanoTime}. */
  long lastReadNanos() {
    return lastReadNanos;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      lastReadNanos = System.nanoTime();
      if (!discarding) {
        parser.accept(bytes.nioBuffer());
      }
    } catch (Throwable e) {
      end.broken(e);
      discard();
    } finally {
      bytes.release();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    discard();
    onInactive.run();
    end.closed();
    ctx.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    end.lost(
        new LinkException(
            ErrorCode.LINK_LOST,
            "the link to %s was lost (%s); connect again".formatted(end.peer(), cause.getMessage()),
            cause));
    ctx.close();
  }

  @Override
  public void expects(FrameType type) {
    end.expects(type);
  }

  @Override
  public void arrived(Frame frame) {
    ChannelHandlerContext ctx = context;
    if (ctx != null) {
      ctx.fireChannelRead(frame);
    }
  }

  @Override
  public BulkReceiver receiver() {
    return end.receiver();
  }
}
