package dev.mover.proxy.restore;

import dev.mover.proxy.source.DirectSource;
import reactor.core.publisher.Mono;

/** A restore that knows too much: breaks every wall around restores. */
public final class RestoreWallsFixture {
  Mono<String> use(DirectSource source) {
    return Mono.just(source.describe());
  }
}
