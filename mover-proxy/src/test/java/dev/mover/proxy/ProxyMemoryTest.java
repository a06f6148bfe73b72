package dev.mover.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockSize;
import org.junit.jupiter.api.Test;

class ProxyMemoryTest {
  @Test
  void slotsThatAreTakenAlwaysFitThePools() {
    for (int slots = 1; slots <= ProxyOptions.MAX_SLOTS; slots++) {
      ProxyMemory memory = new ProxyMemory(slots);
      for (BlockSize size : BlockSize.values()) {
        int weight = memory.slotsPerTask(size);
        assertThat(weight).isBetween(1, slots);
        assertThat(memory.readBuffers(size)).isGreaterThanOrEqualTo(2);
        assertThat(memory.sendBuffers(size)).isGreaterThanOrEqualTo(2);
        // A slot never stands for more than its part, so any mixture of tasks fits.
        assertThat((long) memory.readBuffers(size) * size.bytes())
            .isLessThanOrEqualTo(ProxyMemory.READ_POOL_BYTES / slots * weight);
        assertThat((long) memory.sendBuffers(size) * size.bytes())
            .isLessThanOrEqualTo(ProxyMemory.SEND_POOL_BYTES / slots * weight);
      }
      memory.close();
    }
  }

  @Test
  void runsAsManyTasksAsItSays() {
    try (ProxyMemory memory = new ProxyMemory(64)) {
      assertThat(64 / memory.slotsPerTask(BlockSize.KIB_512)).isEqualTo(64);
      assertThat(64 / memory.slotsPerTask(BlockSize.MIB_1)).isEqualTo(32);
      assertThat(64 / memory.slotsPerTask(BlockSize.MIB_4)).isEqualTo(8);
    }
    try (ProxyMemory memory = new ProxyMemory(ProxyOptions.DEFAULT.slots())) {
      for (BlockSize size : BlockSize.values()) {
        assertThat(memory.slotsPerTask(size)).isEqualTo(1);
      }
    }
  }
}
