package dev.mover.api.block;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.testkit.Seeds;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class BlockIdTest {
  @Test
  void isTheSame32BytesEveryWay() {
    Seeds.check(
        100,
        random -> {
          byte[] bytes = new byte[BlockId.BYTES];
          random.nextBytes(bytes);
          BlockId id = BlockId.of(bytes);
          ByteBuffer buffer = ByteBuffer.allocate(BlockId.BYTES);
          id.write(buffer);
          byte[] shifted = new byte[BlockId.BYTES + 3];
          id.write(shifted, 3);
          assertThat(id.bytes()).isEqualTo(bytes).isEqualTo(buffer.array());
          assertThat(BlockId.read(buffer.flip())).isEqualTo(id);
          assertThat(BlockId.of(shifted, 3)).isEqualTo(id).hasSameHashCodeAs(id);
          assertThat(id).hasToString(HexFormat.of().formatHex(bytes));
        });
  }
}
