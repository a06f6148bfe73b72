package dev.mover.repository.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.memory.BufferSet;
import dev.mover.testkit.Seeds;
import dev.mover.transport.frame.BulkHeader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TaskSlotsTest {
  private static final long COST = BulkHeader.cost(BlockSize.KIB_256);
  private static final long SHARE = 4 * COST;

  /** A quarter is kept for first sets, the rest is three shares. */
  private final BufferPool pool = new BufferPool("test", Side.REPOSITORY, 4 * SHARE);

  private final List<String> events = new ArrayList<>();

  private ReceiveMemory memory() {
    return new ReceiveMemory(pool, BlockSize.KIB_256, () -> 3);
  }

  private static TaskSlots slots(int most) {
    return new TaskSlots(new SlotLimits(most, 0));
  }

  /** A request that notes what it is told, and asks for its place as soon as it has moved. */
  private final class Task implements TaskSlots.Waiter, AutoCloseable {
    private final String name;
    private final TaskSlots.Request request;
    private boolean untold;
    private boolean granted;

    Task(TaskSlots.Session session, String name) {
      this.name = name;
      this.request = session.request(this);
      tell();
    }

    @Override
    public void moved() {
      untold = true;
    }

    /** As a session's strand does it: later. */
    void tell() {
      TaskSlots.Place place = untold ? request.place() : null;
      untold = false;
      if (place != null) {
        events.add("%s %d %s".formatted(name, place.position(), place.reason()));
      }
    }

    @Override
    public void granted(long creditBytes) {
      granted = true;
      events.add(name + " runs " + creditBytes / COST);
    }

    @Override
    public void close() {
      request.close();
    }
  }

  @Test
  void servesASessionInTheOrderItAskedAndTellsPlaces() {
    TaskSlots slots = slots(1);
    TaskSlots.Session web = slots.session("web", memory());
    Task a = new Task(web, "a");
    Task b = new Task(web, "b");
    Task c = new Task(web, "c");
    b.close();
    c.tell();
    a.close();
    c.close();
    c.close();
    assertThat(events)
        .containsExactly(
            "a runs 4",
            "b 1 waiting for a repository slot, 1st of 1; 1 of 1 in use by web",
            "c 2 waiting for a repository slot, 2nd of 2; 1 of 1 in use by web",
            "c 1 waiting for a repository slot, 1st of 1; 1 of 1 in use by web",
            "c runs 0"); // on the credit its session has
    assertThat(slots.running()).isZero();
    assertThat(slots.queued()).isZero();
    assertThat(slots.mostEver()).isEqualTo(1);
  }

  @Test
  void whoCommittedGetsItsMemoryBackBeforeAnybodyNew() {
    TaskSlots slots = slots(3);
    ReceiveMemory ours = memory();
    TaskSlots.Session web = slots.session("web", ours);
    Task web0 = new Task(web, "web-0");
    Task web1 = new Task(web, "web-1");
    web0.close();
    web1.close();
    int given = ours.suspend();
    slots.memoryReturned();
    ReceiveMemory theirs = memory();
    Task db0 = new Task(slots.session("db", theirs), "db-0");
    BufferSet others = pool.lease((int) COST, 8, () -> {});
    events.clear();
    web.resume(given, () -> events.add("web resumes"));
    ReceiveMemory late = memory();
    Task mail0 = new Task(slots.session("mail", late), "mail-0");
    assertThat(events).noneMatch(e -> e.contains("resumes") || e.contains("mail-0 runs"));
    others.close();
    slots.memoryReturned();
    assertThat(events.stream().filter(e -> !e.contains("waiting")))
        .containsExactly("web resumes", "mail-0 runs 2");
    assertThat(ours.suspend()).isEqualTo(given);
    db0.close();
    mail0.close();
    theirs.close();
    late.close();
  }

  @Test
  void whoHadMostOfTheMemoryNeedNotWaitForOthersToEnd() {
    TaskSlots slots = slots(1);
    ReceiveMemory ours = new ReceiveMemory(pool, BlockSize.KIB_256, slots::sharers);
    TaskSlots.Session web = slots.session("web", ours);
    new Task(web, "web-0").close();
    int given = ours.suspend();
    ReceiveMemory theirs = new ReceiveMemory(pool, BlockSize.KIB_256, slots::sharers);
    Task db0 = new Task(slots.session("db", theirs), "db-0");
    int lent = (int) (pool.leasedBytes() / COST);
    assertThat((given * 2 + lent) * COST).isGreaterThan(pool.budgetBytes());
    web.resume(given, () -> events.add("web resumes"));
    assertThat(events).doesNotContain("web resumes");
    long credit = theirs.returnCredit(lent); // all it had is written
    slots.memoryReturned();
    assertThat(events).contains("web resumes");
    assertThat(credit).isBetween(COST, (lent - 1) * COST);
    assertThat(ours.suspend()).isEqualTo(given);
    slots.memoryReturned();
    assertThat(theirs.returnCredit(0)).as("it may grow again").isPositive();
    db0.close();
    theirs.close();
    assertThat(pool.leasedBytes()).isZero();
  }

  @Test
  void whoGivesUpResumingIsInNobodysWay() {
    TaskSlots slots = slots(3);
    ReceiveMemory ours = memory();
    TaskSlots.Session web = slots.session("web", ours);
    Task web0 = new Task(web, "web-0");
    web0.close();
    int given = ours.suspend();
    BufferSet others = pool.lease((int) COST, 14, () -> {});
    web.resume(given, () -> events.add("web resumes"));
    ReceiveMemory theirs = memory();
    Task db0 = new Task(slots.session("db", theirs), "db-0");
    assertThat(events).doesNotContain("db-0 runs 2");
    web.stopResuming();
    assertThat(events).contains("db-0 runs 2").doesNotContain("web resumes");
    db0.close();
    theirs.close();
    others.close();
  }

  @Test
  void aSessionWithManyDisksDoesNotStarveOneWithOne() {
    TaskSlots slots = slots(3);
    TaskSlots.Session big = slots.session("big", memory());
    List<Task> tasks = new ArrayList<>();
    for (int disk = 0; disk < 20; disk++) {
      tasks.add(new Task(big, "big-" + disk));
    }
    Task small = new Task(slots.session("small", memory()), "small");
    assertThat(events.getLast())
        .isEqualTo("small 1 waiting for a repository slot, 1st of 18; 3 of 3 in use by big");
    tasks.get(1).close();
    assertThat(small.granted).isTrue();
    tasks.get(0).close();
    assertThat(tasks.get(3).granted).as("first come, first served").isTrue();
    assertThat(tasks.get(4).granted).isFalse();
    tasks.get(5).tell();
    assertThat(events.getLast())
        .isEqualTo("big-5 2 waiting for a repository slot, 2nd of 16; 3 of 3 in use by big, small");
  }

  @Test
  void amongEqualsTheOneThatWaitsLongestIsNext() {
    TaskSlots slots = slots(2);
    Task a = new Task(slots.session("a", memory()), "a");
    Task b = new Task(slots.session("b", memory()), "b");
    Task c = new Task(slots.session("c", memory()), "c");
    Task d = new Task(slots.session("d", memory()), "d");
    b.close();
    assertThat(c.granted).isTrue();
    assertThat(d.granted).isFalse();
    a.close();
    assertThat(d.granted).isTrue();
  }

  @Test
  void aRaisedLimitHoldsAtOnceAndALoweredOneLetsTasksEnd() {
    TaskSlots slots = slots(1);
    TaskSlots.Session session = slots.session("m", memory());
    List<Task> tasks = new ArrayList<>();
    for (int disk = 0; disk < 6; disk++) {
      tasks.add(new Task(session, "disk " + disk));
    }
    slots.limit(new SlotLimits(4, 0));
    assertThat(slots.running()).isEqualTo(4);
    slots.limit(new SlotLimits(4, 2));
    assertThat(slots.running()).isEqualTo(4);
    tasks.get(5).tell();
    assertThat(events.getLast())
        .isEqualTo("disk 5 2 waiting for a slot of the extent, 2nd of 2; 4 of 2 in use by m");
    tasks.get(0).close();
    tasks.get(1).close();
    assertThat(slots.running()).isEqualTo(2);
    tasks.get(2).close();
    assertThat(slots.running()).isEqualTo(2);
    assertThat(tasks.get(4).granted).isTrue();
    assertThat(slots.mostEver()).isEqualTo(4);
    assertThatThrownBy(() -> new SlotLimits(0, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aSessionWithMemoryPassesOneThatWaitsForIt() {
    TaskSlots slots = slots(8);
    ReceiveMemory rich = memory();
    TaskSlots.Session one = slots.session("rich", rich);
    for (int i = 0; i < 3; i++) {
      new Task(one, "rich");
    }
    List<ReceiveMemory> others = List.of(memory(), memory(), memory());
    for (ReceiveMemory other : others) {
      new Task(slots.session("other", other), "other");
    }
    new Task(one, "rich");
    assertThat(events)
        .containsExactly(
            "rich runs 4",
            "rich runs 4",
            "rich runs 4",
            "other runs 2",
            "other runs 2",
            "other 1 waiting for repository memory, 1st of 1; it is in use by rich, other, other",
            "rich runs 0");
    rich.close();
    slots.memoryReturned();
    assertThat(events.getLast()).isEqualTo("other runs 4");
    others.forEach(ReceiveMemory::close);
    assertThat(pool.leasedBytes()).isZero();
  }

  @Test
  void nobodyWithoutMemoryPassesOneThatWaitsForMore() {
    BufferPool little =
        new BufferPool(
            "test", Side.REPOSITORY, 2 * BulkHeader.cost(BlockSize.MIB_4) + BufferPool.ALIGNMENT);
    TaskSlots slots = slots(8);
    ReceiveMemory first = new ReceiveMemory(little, BlockSize.KIB_256, () -> 8);
    new Task(slots.session("first", first), "first");
    ReceiveMemory large = new ReceiveMemory(little, BlockSize.MIB_4, () -> 8);
    Task waiting = new Task(slots.session("large", large), "large");
    ReceiveMemory small = new ReceiveMemory(little, BlockSize.KIB_256, () -> 8);
    Task last = new Task(slots.session("small", small), "small");
    assertThat(slots.running()).isEqualTo(1);
    first.close();
    slots.memoryReturned();
    assertThat(waiting.granted).isTrue();
    assertThat(last.granted).isFalse();
    large.close();
  }

  /** The promise, against a model: a slot goes to the fewest running, then the longest waiting. */
  @Test
  void everySlotGoesWhereFairnessSays() {
    Seeds.check(100, this::playFairly);
  }

  private void playFairly(RandomGenerator random) {
    int most = 1 + random.nextInt(4);
    TaskSlots slots = slots(most);
    List<TaskSlots.Session> sessions = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      sessions.add(
          slots.session(
              "m" + i,
              new ReceiveMemory(
                  new BufferPool("own", Side.REPOSITORY, SHARE), BlockSize.KIB_256, () -> 4)));
    }
    List<Task> waiting = new ArrayList<>();
    List<Task> running = new ArrayList<>();
    Map<Task, Integer> owner = new HashMap<>();
    for (int step = 0; step < 200; step++) {
      int all = waiting.size() + running.size();
      if (random.nextBoolean() || all == 0) {
        int session = random.nextInt(4);
        Task task = new Task(sessions.get(session), "t");
        waiting.add(task);
        owner.put(task, session);
      } else {
        int which = random.nextInt(all);
        Task task =
            which < waiting.size() ? waiting.remove(which) : running.remove(which - waiting.size());
        task.close();
      }
      while (running.size() < most && !waiting.isEmpty()) {
        Task next = fairest(waiting, running, owner);
        waiting.remove(next);
        running.add(next);
      }
      assertThat(running).allMatch(task -> task.granted);
      assertThat(waiting).noneMatch(task -> task.granted);
      assertThat(slots.running()).isEqualTo(running.size());
    }
    waiting.forEach(Task::close);
    running.forEach(Task::close);
    assertThat(slots.running() + slots.queued()).isZero();
    assertThat(slots.mostEver()).isLessThanOrEqualTo(most);
  }

  /** Of {@code waiting}, in the order they asked, the first of those with the fewest running. */
  private static Task fairest(List<Task> waiting, List<Task> running, Map<Task, Integer> owner) {
    return waiting.stream()
        .min(
            Comparator.comparingLong(
                task ->
                    running.stream()
                        .filter(r -> Objects.equals(owner.get(r), owner.get(task)))
                        .count()))
        .orElseThrow();
  }

  @Test
  void namesAFewOfManyHolders() {
    TaskSlots slots = slots(5);
    BufferPool large = new BufferPool("test", Side.REPOSITORY, 100 * SHARE);
    for (String name : List.of("a", "b", "c", "d", "e")) {
      new Task(slots.session(name, new ReceiveMemory(large, BlockSize.KIB_256, () -> 5)), name);
    }
    TaskSlots.Session last = slots.session("z", memory());
    @Nullable Task task = null;
    for (int i = 0; i < 12; i++) {
      task = new Task(last, "z");
    }
    assertThat(task).isNotNull();
    assertThat(events.getLast())
        .isEqualTo(
            "z 12 waiting for a repository slot, 12th of 12; 5 of 5 in use by a, b, c and 2 more");
  }
}
