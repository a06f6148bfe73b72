package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.point.Removal;
import dev.mover.api.point.RemovalMode;
import dev.mover.api.point.Retention;
import dev.mover.repository.retention.RetentionRule;
import dev.mover.repository.retention.RetentionRules;
import dev.mover.testkit.LoopMount.Kind;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Points go by a policy, when asked for and by themselves, on each file system a repository meets.
 */
@ParameterizedClass
@EnumSource(Kind.class)
class RetentionTest extends DeletablePoints {
  RetentionTest(Kind kind) {
    super(kind);
  }

  @Test
  void aStandingRetentionDeletesWhatANewPointMakesSurplus() {
    backUpWeb(5);
    backup("db", Content.disk(SIZE.bytes(), 1));
    backup("db", Content.disk(SIZE.bytes(), 1));
    Retention two = new Retention(2, 0, 0, 0, 0);
    repository().keep(new RetentionRules(List.of(new RetentionRule("we*", two))));
    awaitOnly(4, 5);
    for (long newest = 6; newest < 9; newest++) {
      backUpWeb(1);
      awaitOnly(newest - 1, newest);
      long deleted = newest - 2;
      ScriptedProxy.poll("count", () -> repository().figures().deletedPoints() == deleted);
    }
    assertWhole();
    assertThat(sequences("db")).hasSize(2);
    repository().keep(RetentionRules.NONE);
    backUpWeb(1);
    delete(7); // comes after whatever the removal thread has to do
    assertThat(sequences("web")).containsExactly(8L, 9L);
    assertWhole();
  }

  private void awaitOnly(long... sequences) {
    List<Long> left = Arrays.stream(sequences).boxed().toList();
    ScriptedProxy.poll("only " + left, () -> sequences("web").equals(left));
    web.keySet().retainAll(left);
  }

  @Test
  void whatAStandingRetentionCantDeleteGoesAfterTheNextBackup() {
    backUpWeb(3);
    Retention one = new Retention(1, 0, 0, 0, 0);
    try (ScriptedReader reader = new ScriptedReader(repository().links())) {
      reader.read("web", 1);
      repository().keep(new RetentionRules(List.of(new RetentionRule("web", one))));
      if (kind.clones()) {
        awaitOnly(3);
      } else {
        awaitOnly(1, 3);
      }
    }
    backUpWeb(1);
    awaitOnly(4);
    assertWhole();
  }

  @Test
  void retainsByPolicyAndLeavesMachinesThatAreBusy() {
    backUpWeb(5);
    byte[] disk = Content.disk(3 * SIZE.bytes(), 3);
    for (int i = 0; i < 3; i++) {
      backup("db", disk);
    }
    Retention two = new Retention(2, 0, 0, 0, 0);
    ScriptedRemoval plan =
        ScriptedRemoval.retain(repository().links(), "", two, RemovalMode.ESTIMATE);
    assertThat(plan.points()).isEqualTo(4);
    assertWhole();
    try (ScriptedProxy session = new ScriptedProxy(repository().links(), SIZE)) {
      session.open("db", Map.of("system", disk));
      ScriptedRemoval done =
          ScriptedRemoval.retain(repository().links(), "", two, RemovalMode.DELETE);
      assertThat(done.removals()).extracting(Removal::machine).containsExactly("db", "web");
      assertThat(done.removals().getFirst().problem().isEmpty()).isEqualTo(kind.clones());
      web.keySet().removeIf(sequence -> sequence < 4);
    }
    assertWhole();
    ScriptedRemoval.retain(repository().links(), "db", two, RemovalMode.DELETE);
    assertThat(sequences("db")).containsExactly(2L, 3L);
    assertCode(
        ErrorCode.NO_SUCH_POINT,
        () -> ScriptedRemoval.retain(repository().links(), "nobody", two, RemovalMode.DELETE));
  }
}
