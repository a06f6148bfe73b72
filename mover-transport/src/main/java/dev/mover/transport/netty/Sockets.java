package dev.mover.transport.netty;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import java.time.Duration;
import reactor.netty.resources.LoopResources;

/** What both sides' sockets have in common. */
final class Sockets {
  /** Event loops only copy and frame; two saturate the links of one host. */
  private static final int LOOPS = 2;

  private static final Duration END_WITHIN = Duration.ofSeconds(5);

  private Sockets() {}

  static LoopResources loops(String name) {
    return LoopResources.create(name, 1, LOOPS, true);
  }

  static void end(LoopResources loops) {
    var _ = loops.disposeLater(Duration.ZERO, END_WITHIN).block(END_WITHIN.plusSeconds(1));
  }

  /** A fresh one for each connector or server; each link adapts its own size. */
  static RecvByteBufAllocator receiveBuffers() {
    return new AdaptiveRecvByteBufAllocator(512, 4096, 256 << 10);
  }
}
