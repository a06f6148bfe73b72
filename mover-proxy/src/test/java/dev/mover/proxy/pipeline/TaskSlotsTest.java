package dev.mover.proxy.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TaskSlotsTest {
  private final List<String> granted = new ArrayList<>();

  @Test
  void givesAFreeSlotToWhoHasTheFewest() {
    TaskSlots slots = new TaskSlots(3);
    TaskSlots.Holder greedy = holder(slots, 1, "greedy");
    TaskSlots.Holder late = holder(slots, 1, "late");
    takes(greedy, 3);
    assertThat(greedy.tryTake()).isFalse(); // waits, and has waited longer
    assertThat(late.tryTake()).isFalse();

    greedy.giveBack();
    assertThat(granted).containsExactly("late");
    assertThat(greedy.tryTake()).isFalse();
    assertThat(late.tryTake()).isTrue();
    assertThat(late.tryTake()).isFalse();
    greedy.giveBack(); // one each: now the longer wait counts
    assertThat(granted).containsExactly("late", "greedy");
  }

  @Test
  void doesNotLetLightOnesOvertakeWhoNeedsSeveral() {
    TaskSlots slots = new TaskSlots(4);
    TaskSlots.Holder light = holder(slots, 1, "light");
    TaskSlots.Holder heavy = holder(slots, 3, "heavy");
    takes(light, 2);
    assertThat(heavy.tryTake()).isFalse();
    assertThat(light.tryTake()).as("one is free, but it is the heavy one's turn").isFalse();
    light.giveBack();
    assertThat(granted).containsExactly("heavy");
    assertThat(heavy.tryTake()).isTrue();
    heavy.giveBack();
    assertThat(light.tryTake()).isTrue();
  }

  @Test
  void tellsWhoWaitsItsPlaceInTheLine() {
    TaskSlots slots = new TaskSlots(2);
    TaskSlots.Holder greedy = holder(slots, 1, "greedy");
    TaskSlots.Holder late = holder(slots, 1, "late");
    takes(greedy, 2);
    assertThat(greedy.tryTake()).isFalse();
    assertThat(late.tryTake()).isFalse();
    assertThat(late.waitsFor()).isEqualTo("waiting for a task slot of this proxy, position 1 of 2");
    assertThat(greedy.waitsFor()).endsWith("position 2 of 2");
    greedy.giveBack();
    assertThat(late.waitsFor()).as("its turn has come").doesNotContain("position");
  }

  @Test
  void passesOnWhatALeaverDidNotFetch() {
    TaskSlots slots = new TaskSlots(1);
    TaskSlots.Holder first = holder(slots, 1, "first");
    TaskSlots.Holder leaver = holder(slots, 1, "leaver");
    TaskSlots.Holder next = holder(slots, 1, "next");
    assertThat(first.tryTake()).isTrue();
    assertThat(leaver.tryTake()).isFalse();
    assertThat(next.tryTake()).isFalse();
    first.giveBack();
    leaver.close();
    assertThat(granted).containsExactly("leaver", "next");
    assertThat(next.tryTake()).isTrue();
  }

  @Test
  void aLeaverThatOnlyWaitedStandsInNobodysWay() {
    TaskSlots slots = new TaskSlots(2);
    TaskSlots.Holder heavy = holder(slots, 2, "heavy");
    TaskSlots.Holder light = holder(slots, 1, "light");
    TaskSlots.Holder other = holder(slots, 1, "other");
    assertThat(light.tryTake()).isTrue();
    assertThat(heavy.tryTake()).isFalse();
    assertThat(other.tryTake()).isFalse();
    heavy.close();
    assertThat(granted).containsExactly("other");
  }

  @Test
  void neverGivesMoreThanThereIsAndLeavesNobodyWaitingForNothing() {
    Seeds.check(
        200,
        random -> {
          int all = 1 + random.nextInt(8);
          TaskSlots slots = new TaskSlots(all);
          List<Model> models = new ArrayList<>();
          for (int i = 0; i < 4; i++) {
            models.add(new Model(slots, 1 + random.nextInt(all)));
          }
          for (int step = 0; step < 200; step++) {
            Model model = models.get(random.nextInt(models.size()));
            if (random.nextBoolean() && model.tasks > 0) {
              model.tasks--;
              model.holder.giveBack();
            } else if (model.holder.tryTake()) {
              model.tasks++;
              model.told = false;
              model.waits = false;
            } else {
              model.waits = true;
            }
            int used = models.stream().mapToInt(m -> (m.tasks + (m.told ? 1 : 0)) * m.weight).sum();
            assertThat(used).isBetween(0, all);
            boolean stuck = used == 0 && models.stream().anyMatch(m -> m.waits && !m.told);
            assertThat(stuck).as("somebody waits though all is free").isFalse();
          }
        });
  }

  private static final class Model {
    final TaskSlots.Holder holder;
    final int weight;
    int tasks;
    boolean told;
    boolean waits;

    Model(TaskSlots slots, int weight) {
      this.weight = weight;
      holder = slots.holder(weight, () -> told = true);
    }
  }

  private static void takes(TaskSlots.Holder holder, int times) {
    for (int i = 0; i < times; i++) {
      assertThat(holder.tryTake()).isTrue();
    }
  }

  private TaskSlots.Holder holder(TaskSlots slots, int weight, String name) {
    return slots.holder(weight, () -> granted.add(name));
  }
}
