package dev.mover.testkit;

import com.tngtech.archunit.core.domain.JavaClasses;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The walls of mover-api, and that every rule of {@link Walls} can fail. */
class WallsTest {
  private static final JavaClasses SHIPPED = Walls.shipped("dev.mover.api");

  @Test
  void keepsTheLanguageFreeOfLibraries() {
    for (String library :
        new String[] {"io.netty..", "reactor..", "org.rocksdb..", "com.github.luben.."}) {
      Walls.never("dev.mover.api..", library).check(SHIPPED);
    }
    Walls.assertBreaks(Walls.never("dev.mover..", "reactor.."), Guards.class);
  }

  @Test
  void keepsNativeCallsInOnePackage() {
    String calls = "java.lang.foreign..";
    Walls.onlyIn(calls, "dev.mover.api.linux", "dev.mover.api.memory").check(SHIPPED);
    Walls.assertBreaks(Walls.onlyIn("reactor..", "dev.mover.elsewhere"), Guards.class);
  }

  @Test
  void keepsTheHouseRules() {
    Walls.house().forEach(rule -> rule.check(SHIPPED));
  }

  @Test
  void catchesUnboundedQueues() {
    Walls.assertBreaks(Walls.noUnboundedQueues(), ElasticFixture.class);
    Walls.assertBreaks(Walls.noUnboundedQueues(), BufferFixture.class);
  }

  @Test
  void catchesLostErrors() {
    Walls.assertBreaks(Walls.noLostErrors(), SubscribeFixture.class);
  }

  @Test
  void catchesInterrupts() {
    Walls.assertBreaks(Walls.noInterrupts(), InterruptFixture.class);
  }

  @Test
  void catchesNamesThatSayNothing() {
    Walls.assertBreaks(Walls.plainNames(), BlockHelper.class);
  }

  static final class ElasticFixture {
    Scheduler unbounded() {
      return Schedulers.boundedElastic();
    }
  }

  static final class BufferFixture {
    Flux<Integer> unbounded(Flux<Integer> in) {
      return in.onBackpressureBuffer();
    }
  }

  static final class SubscribeFixture {
    void lose(Mono<Integer> in) {
      var _ = in.subscribe(i -> {});
    }
  }

  static final class InterruptFixture {
    void stop(Thread thread) {
      thread.interrupt();
    }
  }

  static final class BlockHelper {}
}
