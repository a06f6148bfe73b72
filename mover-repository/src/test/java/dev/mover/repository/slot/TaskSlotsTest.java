package dev.mover.repository.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferPool;
import dev.mover.testkit.Seeds;
import dev.mover.transport.frame.BulkHeader;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class TaskSlotsTest {
  private static final long COST = BulkHeader.cost(BlockSize.KIB_256);
  private static final long SHARE = 4 * COST;

  private final BufferPool pool = new BufferPool("test", Side.REPOSITORY, 3 * SHARE);
  private final List<String> events = new ArrayList<>();

  private ReceiveMemory memory() {
    return new ReceiveMemory(pool, BlockSize.KIB_256, SHARE);
  }

  private TaskSlots.Request ask(TaskSlots slots, ReceiveMemory memory, String name) {
    return slots.request(
        memory,
        new TaskSlots.Waiter() {
          @Override
          public void queued(int position, String reason) {
            events.add(name + " " + position + " " + reason);
          }

          @Override
          public void granted(long creditBytes) {
            events.add(name + " runs " + creditBytes / COST);
          }
        });
  }

  @Test
  void servesFirstComeFirstServedAndTellsPositions() {
    TaskSlots slots = new TaskSlots(1);
    TaskSlots.Request a = ask(slots, memory(), "a");
    TaskSlots.Request b = ask(slots, memory(), "b");
    TaskSlots.Request c = ask(slots, memory(), "c");
    b.close();
    a.close();
    c.close();
    c.close();
    assertThat(events)
        .containsExactly(
            "a runs 4",
            "b 1 waiting for repository slot",
            "c 2 waiting for repository slot",
            "c 1 waiting for repository slot",
            "c runs 4");
    assertThat(slots.running()).isZero();
    assertThat(slots.queued()).isZero();
    assertThat(slots.mostEver()).isEqualTo(1);
  }

  @Test
  void aSessionWithMemoryPassesOneThatWaitsForIt() {
    TaskSlots slots = new TaskSlots(8);
    ReceiveMemory rich = memory();
    for (int i = 0; i < 3; i++) {
      ask(slots, rich, "rich");
    }
    ReceiveMemory poor = memory();
    ask(slots, poor, "poor");
    ask(slots, rich, "rich");
    assertThat(events)
        .containsExactly(
            "rich runs 4",
            "rich runs 4",
            "rich runs 4",
            "poor 1 waiting for repository memory",
            "rich runs 0");
    rich.close();
    slots.memoryReturned();
    assertThat(events.getLast()).isEqualTo("poor runs 4");
    poor.close();
    assertThat(pool.leasedBytes()).isZero();
  }

  @Test
  void aShareThatIsNotNeededAnyMoreGoesHomeCreditByCredit() {
    TaskSlots slots = new TaskSlots(2);
    ReceiveMemory memory = memory();
    ask(slots, memory, "a");
    TaskSlots.Request second = ask(slots, memory, "b");
    second.close();
    assertThat(pool.leasedBytes()).isEqualTo(2 * SHARE);
    assertThat(memory.returnCredit(3)).isZero();
    assertThat(memory.returnCredit(3)).isEqualTo(2 * COST);
    assertThat(pool.leasedBytes()).isEqualTo(SHARE);
    assertThat(memory.returnCredit(2)).isEqualTo(2 * COST);
    memory.close();
  }

  @Test
  void creditOutsideAndBuffersInsideAlwaysAgree() {
    Seeds.check(
        100,
        random -> {
          TaskSlots slots = new TaskSlots(3);
          ReceiveMemory memory = memory();
          long[] credit = new long[1];
          List<TaskSlots.Request> running = new ArrayList<>();
          List<BlockBuffer> lent = new ArrayList<>();
          for (int step = 0; step < 300; step++) {
            switch (random.nextInt(4)) {
              case 0 -> {
                if (running.size() < 3) {
                  running.add(
                      slots.request(
                          memory,
                          new TaskSlots.Waiter() {
                            @Override
                            public void queued(int position, String reason) {}

                            @Override
                            public void granted(long bytes) {
                              credit[0] += bytes;
                            }
                          }));
                }
              }
              case 1 -> {
                if (!running.isEmpty()) {
                  running.remove(random.nextInt(running.size())).close();
                }
              }
              case 2 -> {
                if (credit[0] >= COST) {
                  credit[0] -= COST;
                  // What was paid for is there: never null.
                  lent.add(Objects.requireNonNull(memory.tryTake()));
                }
              }
              default -> {
                if (!lent.isEmpty()) {
                  lent.remove(random.nextInt(lent.size())).release();
                  credit[0] += memory.returnCredit(1);
                }
              }
            }
            assertThat(running.isEmpty() || credit[0] + lent.size() > 0).isTrue();
          }
          lent.forEach(BlockBuffer::release);
          memory.close();
          assertThat(pool.leasedBytes()).isZero();
        });
  }
}
