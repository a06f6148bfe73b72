package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.RestorePoint;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.extent.ExtentLayout.Found;
import dev.mover.testkit.LoopMount.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Sessions that die, at whatever step, on each file system a repository meets. */
@ParameterizedClass
@EnumSource(Kind.class)
class FailedSessionsTest extends MountedRepository {
  private static final byte[] OLD = Content.disk(6 * SIZE.bytes(), 1);
  private static final byte[] CHANGED = changed();

  FailedSessionsTest(Kind kind) {
    super(kind);
  }

  private static byte[] changed() {
    byte[] changed = OLD.clone();
    changed[SIZE.bytes() + 1] ^= 1;
    changed[4 * SIZE.bytes() + 1] ^= 1;
    return changed;
  }

  private void backup(byte[] disk) {
    ScriptedProxy.backup(repository().links(), SIZE, "web", Map.of("system", disk));
  }

  /** Whether it fails to back up, as it must then. */
  private boolean failsWith(ErrorCode code, String says, byte[] disk) {
    try {
      backup(disk);
      return false;
    } catch (MoverException e) {
      assertThat(e.code()).isEqualTo(code);
      assertThat(e.getMessage()).contains(directory.toString(), says);
      return true;
    }
  }

  private void assertRestores(long sequence, byte[] disk) {
    assertThat(ScriptedReader.restore(repository().links(), "web", sequence, 0))
        .as("point %d", sequence)
        .isEqualTo(disk);
  }

  private List<Found> partials() {
    try {
      return ExtentLayout.files(directory.resolve("machines/web")).stream()
          .filter(Found::partial)
          .toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void nothingOfALostSessionIsListedAndTheMachineIsFreeAgain() {
    byte[] disk = Content.disk(10 * SIZE.bytes(), 1);
    try (ScriptedProxy proxy = new ScriptedProxy(repository().links(), SIZE)) {
      proxy.open("web", Map.of("system", disk));
      proxy.begin(0);
      assertThat(proxy.offer(0, 0, List.of(proxy.id(0, 0))).cardinality()).isEqualTo(1);
      proxy.sendBlock(0, 0);
      proxy.await("ACK", () -> proxy.acked == 1);
    }
    open(); // waits until the session has given everything back
    assertThat(repository().status().sessions()).isZero();
    assertThat(ScriptedReader.points(repository().links(), "")).isEmpty();
    backup(disk);
    assertRestores(1, disk);
    assertThat(partials()).isEmpty();
  }

  @Test
  void sendsNothingTwiceThatADeadSessionMadeDurable() {
    open(times().withCheckpointEvery(Duration.ZERO));
    byte[] disk = Content.disk(10 * SIZE.bytes(), 1);
    try (ScriptedProxy proxy = new ScriptedProxy(repository().links(), SIZE)) {
      proxy.open("web", Map.of("system", disk));
      proxy.begin(0);
      List<BlockId> ids = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        ids.add(proxy.id(0, i));
      }
      proxy.offer(0, 0, ids);
      for (int i = 0; i < 6; i++) {
        int sent = i + 1;
        proxy.sendBlock(0, i);
        proxy.await("CHECKPOINT", () -> proxy.checkpoints >= sent);
      }
    }
    open();
    try (ScriptedProxy proxy = new ScriptedProxy(repository().links(), SIZE)) {
      proxy.run("web", Map.of("system", disk));
      assertThat(proxy.sentBlocks).isEqualTo(4);
    }
    assertThat(partials()).isEmpty();
    assertRestores(1, disk);
    // What the index said of the partial it says of the point now.
    try (ScriptedProxy proxy = new ScriptedProxy(repository().links(), SIZE)) {
      proxy.run(kind.clones() ? "db" : "web", Map.of("other", disk));
      assertThat(proxy.sentBlocks).isZero();
    }
    assertSound();
  }

  @Test
  void keepsOldPointWhateverWriteFails() {
    backup(OLD);
    boolean failed = true;
    int point = 2;
    for (int n = 0; failed; n++) {
      files.changes.set(0);
      files.failFrom.set(n);
      failed = failsWith(ErrorCode.REPOSITORY_WRITE_FAILED, "check", CHANGED);
      files.failFrom.set(Long.MAX_VALUE);
      open();
      List<RestorePoint> points = ScriptedReader.points(repository().links(), "web");
      assertThat(points.size()).as("points after failing at change %d", n).isBetween(1, point);
      assertRestores(1, OLD);
      for (RestorePoint p : points.subList(1, points.size())) {
        assertRestores(p.sequence(), CHANGED);
      }
      assertSound();
      point = points.size() + 1;
    }
    assertThat(ScriptedReader.points(repository().links(), "web")).hasSizeGreaterThan(1);
  }

  /** Slot, page of a map, clone, footer, name: there is no room for each of them in turn. */
  @Test
  void aDiskThatIsFullAtAnyStepFailsTheSessionAndNothingElse() {
    backup(OLD);
    boolean full = true;
    int steps = 0;
    while (full) {
      files.changes.set(0);
      files.fullFrom.set(steps);
      full = failsWith(ErrorCode.REPOSITORY_FULL, "no room", CHANGED);
      files.fullFrom.set(Long.MAX_VALUE);
      if (full) {
        assertThat(ScriptedReader.points(repository().links(), "web"))
            .as("step %d", steps)
            .hasSize(1);
        assertRestores(1, OLD);
        steps++;
      }
    }
    assertThat(steps).isGreaterThan(5);
    assertRestores(2, CHANGED);
    assertThat(partials()).isEmpty();
    assertSound();
  }
}
