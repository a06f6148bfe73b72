package dev.mover.repository.extent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StrandTest {
  @Test
  void runsTasksOneAfterTheOtherInOrderOnAnyPool() throws InterruptedException {
    try (ExtentThreads threads = new ExtentThreads()) {
      Strand strand = new Strand(threads.serving());
      List<Integer> ran = new ArrayList<>(); // not thread-safe: the strand makes it so
      CountDownLatch end = new CountDownLatch(1);
      for (int i = 0; i < 5000; i++) {
        int number = i;
        strand.execute(
            () -> {
              ran.add(number);
              if (number % 100 == 0) {
                strand.moveTo(number % 200 == 0 ? threads.commits() : threads.serving());
              }
            });
      }
      strand.execute(end::countDown);
      assertThat(end.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(ran).isEqualTo(IntStream.range(0, 5000).boxed().toList());
    }
  }

  @Test
  void dropsWhatComesAfterItsThreadsWereClosed() {
    ExtentPool closed = new ExtentPool("closed", 1, 1);
    closed.close(System.nanoTime());
    List<String> ran = new ArrayList<>();
    Strand strand = new Strand(Runnable::run);
    strand.execute(
        () -> {
          ran.add("before");
          strand.moveTo(closed);
          strand.execute(() -> ran.add("moved"));
        });
    strand.execute(() -> ran.add("after"));
    assertThat(ran).containsExactly("before");
  }

  @Test
  void saysThatItsThreadsAreOverrun() {
    Strand strand = new Strand(new ExtentPool("full", 0, 0));
    assertThatThrownBy(() -> strand.execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessageContaining("overrun");
  }

  @Test
  void goesOnOnThePoolItWasMovedTo() throws InterruptedException {
    try (ExtentThreads threads = new ExtentThreads()) {
      Strand strand = new Strand(threads.sessions());
      List<String> names = new ArrayList<>();
      CountDownLatch end = new CountDownLatch(1);
      strand.execute(
          () -> {
            names.add(Thread.currentThread().getName());
            strand.moveTo(threads.commits());
            strand.execute(
                () -> {
                  names.add(Thread.currentThread().getName());
                  end.countDown();
                });
          });
      assertThat(end.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(names.get(0)).startsWith("extent-session");
      assertThat(names.get(1)).startsWith("extent-commit");
    }
  }
}
