package dev.mover.proxy.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TaskLimitTest {
  private final List<String> granted = new ArrayList<>();
  private final TaskSlots slots = new TaskSlots(4);

  private TaskSlots.Holder holder(int weight, String name) {
    return slots.holder(weight, () -> granted.add(name));
  }

  @Test
  void takesEffectOnWhoComesNextAndLetsTheOthersFinish() {
    TaskSlots.Holder a = holder(1, "a");
    for (int i = 0; i < 4; i++) {
      assertThat(a.tryTake()).isTrue();
    }
    slots.limit(2);
    TaskSlots.Holder b = holder(1, "b");
    assertThat(b.tryTake()).isFalse();
    a.giveBack();
    a.giveBack();
    assertThat(granted).isEmpty();
    a.giveBack();
    assertThat(granted).containsExactly("b");
  }

  @Test
  void servesThoseWhoWaitWhenItRises() {
    slots.limit(1);
    TaskSlots.Holder a = holder(1, "a");
    TaskSlots.Holder b = holder(1, "b");
    assertThat(a.tryTake()).isTrue();
    assertThat(b.tryTake()).isFalse();
    slots.limit(4);
    assertThat(granted).containsExactly("b");
    assertThat(b.tryTake()).isTrue();
    assertThat(a.tryTake()).isTrue();
    assertThat(b.tryTake()).isTrue();
    assertThat(a.tryTake()).isFalse();
  }

  @Test
  void letsATaskThatNeedsMoreThanTheLimitRunAlone() {
    slots.limit(1);
    TaskSlots.Holder heavy = holder(3, "heavy");
    TaskSlots.Holder light = holder(1, "light");
    assertThat(heavy.tryTake()).isTrue();
    assertThat(light.tryTake()).isFalse();
    assertThat(heavy.tryTake()).isFalse();
    heavy.giveBack();
    assertThat(granted).containsExactly("light");
  }

  @Test
  void staysWithinWhatThereIs() {
    assertThatThrownBy(() -> slots.limit(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> slots.limit(5)).isInstanceOf(IllegalArgumentException.class);
  }
}
