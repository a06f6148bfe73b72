package dev.mover.proxy.pipeline;

import dev.mover.dedup.codec.zstd.ZstdBlockCodec;
import dev.mover.dedup.index.BlockIndex;
import dev.mover.proxy.restore.Conversation;
import dev.mover.proxy.source.DirectSource;
import dev.mover.transport.carrier.VersionRange;
import dev.mover.transport.inprocess.InProcessConnector;
import dev.mover.transport.netty.NettyConnector;
import java.util.stream.Stream;

/** A pipeline that knows too much: breaks every wall around the pipeline. */
public final class PipelineWallsFixture {
  Stream<Object> use(
      ZstdBlockCodec codec,
      BlockIndex index,
      Conversation link,
      DirectSource source,
      VersionRange versions,
      InProcessConnector near,
      NettyConnector far) {
    link.close();
    source.close();
    return Stream.of(codec, index, versions, near, far);
  }
}
