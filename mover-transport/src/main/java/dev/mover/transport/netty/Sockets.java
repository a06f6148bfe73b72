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

  /**
   * Each link adapts its own size. Over the loopback, 1 MiB bulk frames on 2 cores: 64 KiB, 256 KiB
   * and 1 MiB at most are within the noise of each other (2.4–4.4 GB/s, 0.4–0.5 CPU s/GB for both
   * sides; plain sockets without the copy into a slot 2.8–4.3 and 0.25–0.4), so the middle one. The
   * sockets' own buffers are the kernel's, which tunes them.
   */
  static RecvByteBufAllocator receiveBuffers() {
    return new AdaptiveRecvByteBufAllocator(512, 4096, 256 << 10);
  }
}
