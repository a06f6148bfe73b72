package dev.mover.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.Codec;
import dev.mover.api.block.Envelope;
import dev.mover.dedup.cipher.BlockCipher;
import dev.mover.dedup.cipher.DataKey;
import dev.mover.dedup.cipher.bc.Argon2;
import dev.mover.dedup.cipher.bc.KeyBox;
import dev.mover.dedup.codec.Compression;
import dev.mover.dedup.codec.zstd.ZstdBlockCodec;
import dev.mover.dedup.digest.BlockDigest;
import dev.mover.dedup.index.BlockIndex;
import dev.mover.dedup.index.Catalogue;
import dev.mover.dedup.index.rocks.RocksStore;
import dev.mover.testkit.Guards;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Nothing of this module may run on an event loop, and the guard says so. */
class DedupGuardsTest {
  @TempDir Path folder;

  @Test
  void forbidsTheIndexAndTheCatalogue() {
    try (RocksStore store = RocksStore.open(folder)) {
      BlockIndex index = store.index();
      assertBlocks(() -> index.find(List.of()));
      assertBlocks(() -> index.put(Map.of()));
      assertBlocks(() -> index.remove(List.of(new BlockId(1, 2, 3, 4))));
      assertBlocks(index::sync);
      assertBlocks(index::estimatedCount);
      Catalogue catalogue = store.catalogue();
      assertBlocks(() -> catalogue.put("key", new byte[1]));
      assertBlocks(() -> catalogue.get("key"));
      assertBlocks(() -> catalogue.remove("key"));
      assertBlocks(() -> catalogue.list("", "", 1));
      assertBlocks(store::close);
    }
    assertBlocks(() -> RocksStore.open(folder).close());
    assertBlocks(() -> RocksStore.destroy(folder));
  }

  @Test
  void forbidsPackingUnpackingAndHashing() {
    ByteBuffer block = ByteBuffer.allocateDirect(4096);
    try (ZstdBlockCodec codec = new ZstdBlockCodec()) {
      assertBlocks(() -> codec.pack(block, block.duplicate(), Compression.OPTIMAL));
      assertBlocks(() -> codec.unpack(Codec.RAW, block, block.duplicate(), 4096));
    }
    BlockDigest digest = new BlockDigest();
    assertBlocks(() -> digest.id(block));
    BlockCipher cipher = new BlockCipher();
    DataKey key = new DataKey(new UUID(1, 2), new byte[DataKey.BYTES]);
    assertBlocks(() -> cipher.encrypt(key, Codec.RAW, 0, BlockId.NONE, 4096, block));
    assertBlocks(() -> cipher.decrypt(key, Envelope.NONE, Codec.RAW, BlockId.NONE, 4096, block));
    assertBlocks(() -> Argon2.hash(new byte[1], new byte[16], 64, 1, 1, 32));
    assertBlocks(() -> KeyBox.seal(new byte[32], new byte[0], new byte[0]));
    assertBlocks(() -> KeyBox.open(new byte[32], new byte[0], new byte[0]));
  }

  private static void assertBlocks(Runnable call) {
    assertThatThrownBy(() -> Mono.fromRunnable(call).subscribeOn(Schedulers.parallel()).block())
        .hasRootCauseInstanceOf(BlockingOperationError.class);
    assertThat(Guards.forgive()).isNotEmpty();
  }
}
