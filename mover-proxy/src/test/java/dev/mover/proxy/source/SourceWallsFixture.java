package dev.mover.proxy.source;

import dev.mover.dedup.codec.Compression;
import dev.mover.proxy.pipeline.TaskSlots;
import dev.mover.proxy.restore.Conversation;
import dev.mover.transport.frame.Frame;
import reactor.core.publisher.Flux;

/** A source that knows too much: breaks every wall around sources. */
public final class SourceWallsFixture {
  Flux<Frame> read(Compression compression, TaskSlots slots, Conversation link) {
    link.close();
    return Flux.error(
        new IllegalStateException(compression.name() + slots.holder(1, () -> {}).tryTake()));
  }
}
