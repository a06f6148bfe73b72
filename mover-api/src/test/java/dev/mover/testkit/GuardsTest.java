package dev.mover.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.linux.LinuxFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

class GuardsTest {
  @TempDir Path folder;

  @Test
  void failsATestWhoseErrorWasDropped() {
    Operators.onErrorDropped(new IllegalArgumentException("lost"), Context.empty());
    assertThatThrownBy(Guards::failOnMishaps)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("lost");
  }

  @Test
  void failsATestWhoseThreadDied() throws InterruptedException {
    Thread thread =
        new Thread(
            () -> {
              throw new IllegalStateException("died");
            });
    thread.start();
    thread.join();
    assertThatThrownBy(Guards::failOnMishaps).hasMessageContaining("died");
  }

  @Test
  void failsATestThatLeaksANettyBuffer() {
    LoggerFactory.getLogger(Leaks.DETECTOR).error("LEAK: ByteBuf.release() was not called");
    assertThatThrownBy(Guards::failOnMishaps).hasMessageContaining("LEAK");
  }

  @Test
  void letsATestPassThatWentWell() {
    assertThatCode(Guards::failOnMishaps).doesNotThrowAnyException();
  }

  @Test
  void forgivesWhatTheTestHasLookedAt() {
    Operators.onErrorDropped(new IllegalArgumentException("seen"), Context.empty());
    assertThat(Guards.forgive()).hasSize(1);
    assertThatCode(Guards::failOnMishaps).doesNotThrowAnyException();
  }

  @Test
  void forbidsNativeCallsOnAnEventLoop() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    try (LinuxFile open = LinuxFile.open(file, LinuxFile.Flag.WRITE)) {
      assertBlocks(open::size);
      assertBlocks(() -> open.read(ByteBuffer.allocateDirect(1), 0));
      assertBlocks(
          () -> {
            open.write(ByteBuffer.allocateDirect(1), 0);
            return 0;
          });
      assertBlocks(
          () -> {
            open.sync();
            return 0;
          });
    }
  }

  @Test
  void forbidsFileChannelsOnAnEventLoop() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      assertBlocks(() -> channel.write(ByteBuffer.allocateDirect(1), 0));
      assertBlocks(() -> channel.read(ByteBuffer.allocateDirect(1), 0));
      assertBlocks(
          () -> {
            channel.force(true);
            return 0;
          });
    }
  }

  @Test
  void remembersABlockingCallThatWasSwallowed() {
    Mono.fromCallable(
            () -> {
              try {
                Thread.sleep(1);
              } catch (BlockingOperationError e) {
                return "swallowed";
              }
              return "slept";
            })
        .subscribeOn(Schedulers.parallel())
        .block();
    assertThatThrownBy(Guards::failOnMishaps).hasMessageContaining("sleep");
  }

  private static void assertBlocks(Callable<?> call) {
    assertThatThrownBy(() -> Mono.fromCallable(call).subscribeOn(Schedulers.parallel()).block())
        .hasRootCauseInstanceOf(BlockingOperationError.class);
    assertThat(Guards.forgive()).isNotEmpty();
  }
}
