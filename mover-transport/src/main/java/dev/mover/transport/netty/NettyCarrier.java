package dev.mover.transport.netty;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.transport.carrier.Carrier;
import dev.mover.transport.carrier.Greeting;
import dev.mover.transport.carrier.LinkEnd;
import dev.mover.transport.carrier.LinkTimes;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.FrameCodecs;
import dev.mover.transport.frame.Ping;
import dev.mover.transport.link.RepositoryAddress;
import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.netty.Connection;
import reactor.netty.NettyPipeline;

/**
 * Carries one end of a link over a TCP connection. Everything but {@link #write}, {@link
 * #writeBulk} and {@link #execute} is confined to the channel's event loop.
 *
 * <p>Closing: after the last frame the output is shut down and input read and thrown away until the
 * peer closes too, at most {@link LinkTimes#lingerMs}. Closing at once with bytes unread would
 * reset the connection, and the peer would lose the ERROR that tells it why.
 */
@SuppressWarnings("FutureReturnValueIgnored") // how a channel ends is told by channelInactive
final class NettyCarrier implements Carrier {
  private static final Logger log = LoggerFactory.getLogger(NettyCarrier.class);

  private final Channel channel;
  private final String peer;
  private final LinkTimes times;
  private final LinkEnd end;
  private final FrameDecoder decoder;
  private final Outbound outbound;
  private long lastLifeNanos;
  private long lastPingNanos;
  private long pendingBefore;
  private long pings;

  private NettyCarrier(Channel channel, Greeting greeting, LinkTimes times) {
    this.channel = channel;
    this.times = times;
    peer = RepositoryAddress.authority((InetSocketAddress) channel.remoteAddress());
    outbound = new Outbound(channel, this::linger);
    end = new LinkEnd(greeting, this);
    decoder = new FrameDecoder(end, outbound::seal);
  }

  /** Makes a fresh connection one end of a link; nothing has been read from it. Event loop. */
  static LinkEnd attach(Connection connection, Greeting greeting, LinkTimes times) {
    NettyCarrier carrier = new NettyCarrier(connection.channel(), greeting, times);
    carrier.start(connection);
    return carrier.end;
  }

  private void start(Connection connection) {
    channel.pipeline().addBefore(NettyPipeline.ReactiveBridge, "mover.frames", decoder);
    schedule(() -> end.overdue(times.handshakeDeadlineMs()), times.handshakeDeadlineMs());
    lastLifeNanos = System.nanoTime();
    lastPingNanos = lastLifeNanos;
    schedule(this::checkLife, checkEveryMs());
    // Unlimited demand on purpose: it keeps the socket read, and with it bulk flowing. What comes
    // here is control frames only, and the mailbox behind the end bounds them.
    var _ =
        connection
            .inbound()
            .receiveObject()
            .cast(Frame.class)
            .subscribe(end::arrived, e -> log.debug("receiving from {} ended", peer, e));
    if (!channel.isActive()) {
      outbound.seal(); // closed before the decoder could see it
      end.closed();
    }
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public void execute(Runnable step) {
    try {
      channel.eventLoop().execute(step);
    } catch (RejectedExecutionException e) {
      log.trace("the event loop of {} has ended and its link with it", peer);
    }
  }

  @Override
  public void write(Frame frame) {
    if (!outbound.add(new Outgoing.Control(FrameCodecs.encode(frame)))) {
      execute(
          () ->
              end.lost(
                  new LinkException(
                      ErrorCode.PROTOCOL_VIOLATION,
                      "%s leaves more than %d bytes of answers unread"
                          .formatted(peer, Outbound.MAX_CONTROL_BYTES))));
    }
  }

  @Override
  public void writeBulk(BulkHeader header, ByteBuffer payload, Runnable released) {
    ByteBuffer prefix = ByteBuffer.allocate(BulkHeader.PREFIX_BYTES);
    try {
      FrameCodecs.encodeBulk(header, prefix);
    } catch (IllegalArgumentException e) {
      released.run();
      throw e;
    }
    outbound.add(new Outgoing.Bulk(prefix.flip(), payload, released));
  }

  @Override
  public void finish(Frame last) {
    decoder.discard();
    outbound.add(new Outgoing.Last(FrameCodecs.encode(last)));
    execute(() -> cutUnlessDrained(Long.MAX_VALUE)); // after what was just queued is written
  }

  /**
   * What stands before the last frame may be blocks of somebody's memory: a peer that takes none of
   * it gets no more time, even if it goes on sending.
   */
  private void cutUnlessDrained(long pendingBytes) {
    long pending = outbound.pendingBytes();
    if (pending >= pendingBytes) {
      channel.close();
    } else if (pending > 0 && channel.isActive()) {
      schedule(() -> cutUnlessDrained(pending), times.deadAfterMs());
    }
  }

  @Override
  public void cut() {
    decoder.discard();
    outbound.seal();
    channel.close();
  }

  /** The last frame is out. */
  private void linger() {
    if (channel instanceof DuplexChannel duplex) {
      duplex.shutdownOutput();
    }
    schedule(channel::close, times.lingerMs());
  }

  /**
   * Asks a silent peer for a sign of life, and gives it up when none comes. A peer that is only
   * slow to take what we send lives: the kernel's buffer drains.
   */
  private void checkLife() {
    if (!channel.isActive()) {
      return;
    }
    long now = System.nanoTime();
    lastLifeNanos = Math.max(lastLifeNanos, decoder.lastReadNanos());
    long pending = outbound.pendingBytes();
    if (pending > 0 && pending < pendingBefore) {
      lastLifeNanos = now;
    }
    pendingBefore = pending;
    long silentMs = TimeUnit.NANOSECONDS.toMillis(now - lastLifeNanos);
    if (silentMs >= times.deadAfterMs()) {
      end.lost(
          new LinkException(
              ErrorCode.LINK_LOST,
              "%s gave no sign of life for %d s; connect again"
                  .formatted(peer, TimeUnit.MILLISECONDS.toSeconds(silentMs))));
      channel.close(); // an end that already said its last word waits no longer either
      return;
    }
    long sincePingMs = TimeUnit.NANOSECONDS.toMillis(now - lastPingNanos);
    if (silentMs >= times.pingAfterMs() && sincePingMs >= times.pingAfterMs() && end.open()) {
      lastPingNanos = now;
      write(new Ping(pings++));
    }
    schedule(this::checkLife, checkEveryMs());
  }

  private long checkEveryMs() {
    return Math.max(1, times.pingAfterMs() / 3);
  }

  private void schedule(Runnable step, long delayMs) {
    try {
      var _ = channel.eventLoop().schedule(step, delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      log.trace("the event loop of {} has ended and its link with it", peer);
    }
  }
}
