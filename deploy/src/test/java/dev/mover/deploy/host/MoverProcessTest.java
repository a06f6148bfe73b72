package dev.mover.deploy.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Children that do not do what they should, played by a script in the launcher's place. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MoverProcessTest {
  private static final String LAUNCHER = "mover.launcher";

  @TempDir private Path folder = Path.of("");
  private final Cleanup cleanup = new Cleanup(new PrintWriter(new StringWriter()), "test");

  @AfterEach
  void stop() {
    System.clearProperty(LAUNCHER);
    cleanup.close();
  }

  private MoverProcess start(String script) throws IOException {
    Path launcher = folder.resolve("launcher");
    Files.writeString(launcher, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
    System.setProperty(LAUNCHER, launcher.toString());
    return MoverProcess.start(folder, cleanup, "backup");
  }

  @Test
  void returnsTheLinesItPrinted() throws IOException {
    assertThat(start("echo '{\"a\":1}'; echo '{\"a\":2}'").finish())
        .extracting(line -> line.path("a").asInt())
        .containsExactly(1, 2);
  }

  @Test
  void killsAProcessThatHangsWithAllItsChildren() throws IOException {
    Path pid = folder.resolve("pid");
    MoverProcess hung = start("sleep 600 & echo $! > " + pid + "; wait");
    while (!Files.exists(pid) || Files.size(pid) == 0) {
      Thread.onSpinWait();
    }

    assertThatThrownBy(() -> hung.finish(Duration.ofSeconds(1)))
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE_PASSED))
        .hasMessageContaining("mover backup did not end within 1 s and was killed");
    String child = Files.readString(pid).strip();
    while (!isDead(child)) { // until the test's own deadline
      Thread.onSpinWait();
    }
  }

  /** Gone, or a zombie that nobody asked for yet. */
  private static boolean isDead(String pid) {
    try {
      String stat = Files.readString(Path.of("/proc", pid, "stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) == 'Z';
    } catch (IOException e) {
      return true;
    }
  }

  @Test
  void aDaemonThatCannotStartFailsAsItSaid() throws IOException {
    MoverProcess failed =
        start(
            "echo '{\"error\":{\"code\":406,\"name\":\"PORT_IN_USE\",\"side\":\"link\","
                + "\"message\":\"it is taken\"}}'; exit 2");

    assertThatThrownBy(failed::ready)
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PORT_IN_USE))
        .hasMessage("mover backup: it is taken");
  }

  @Test
  void aDaemonThatEndsWithoutAWordIsNotReady() throws IOException {
    MoverProcess failed = start("echo 'no java' >&2; exit 3");

    assertThatThrownBy(failed::ready)
        .hasMessage("mover backup ended with exit code 3; it said: no java");
  }

  @Test
  void failsAsTheProcessSaidItDid() throws IOException {
    MoverProcess failed =
        start(
            "echo '{\"error\":{\"code\":303,\"name\":\"REPOSITORY_FULL\",\"side\":\"repository\","
                + "\"message\":\"it is full\"}}'; exit 2");

    assertThatThrownBy(failed::finish)
        .isInstanceOfSatisfying(
            MoverException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.REPOSITORY_FULL);
              assertThat(e.side()).isEqualTo(Side.REPOSITORY);
            })
        .hasMessage("mover backup: it is full");
  }

  @Test
  void tellsWhatAProcessSaidThatFailedWithoutAWord() throws IOException {
    MoverProcess failed = start("echo 'no java' >&2; exit 3");

    assertThatThrownBy(failed::finish)
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INTERNAL))
        .hasMessage("mover backup ended with exit code 3; it said: no java");
  }

  @Test
  void wantsToBeStartedByTheLauncher() {
    assertThatThrownBy(() -> MoverProcess.start(folder, cleanup, "backup"))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("start it by deploy/mover itself");
  }
}
