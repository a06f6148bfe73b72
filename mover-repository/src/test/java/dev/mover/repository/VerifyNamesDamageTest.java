package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.point.Verdict;
import dev.mover.api.point.Verdict.Outcome;
import dev.mover.repository.ScriptedReader.Look;
import dev.mover.testkit.LoopMount.Kind;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A verification names every point and disk range that rot below the file system touches. */
class VerifyNamesDamageTest extends OnRealFileSystems {
  private static final int LENGTH = SIZE.bytes();

  private Look look(String machine, long sequence) {
    return ScriptedReader.look(repository().links(), machine, sequence);
  }

  private static List<String> outcomes(Look look) {
    return look.verdicts().stream()
        .map(v -> v.machine() + " " + v.sequence() + " " + v.outcome())
        .toList();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void everyPointThatSharesARottenBlock(Kind kind) throws IOException {
    open(kind);
    backup("web");
    backup("web");
    backup("db");
    rotFirstSlotOf("web", 1);
    Look look = look("web", 1);
    List<String> touched = List.of("db 1 DAMAGED", "web 1 DAMAGED", "web 2 DAMAGED");
    List<String> lines =
        List.of("db 1 system 0 " + LENGTH, "web 1 system 0 " + LENGTH, "web 2 system 0 " + LENGTH);
    if (!kind.clones()) {
      touched = touched.subList(1, 3);
      lines = lines.subList(1, 3);
    }
    assertThat(outcomes(look)).first().isEqualTo("web 1 DAMAGED");
    assertThat(outcomes(look)).containsExactlyInAnyOrderElementsOf(touched);
    assertThat(look.lines()).containsExactlyInAnyOrderElementsOf(lines);
    assertThat(look.damage()).allMatch(d -> d.blocks().getFirst().id().equals(id(disk, 0)));

    Look all = look("", 0);
    assertThat(outcomes(all)).containsAll(touched).hasSize(3);
    assertThat(all.lines()).containsExactlyInAnyOrderElementsOf(lines);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void everyBlockOfADiskThatUsesTheSlot(Kind kind) throws IOException {
    open(kind);
    System.arraycopy(disk, 0, disk, 3 * LENGTH, LENGTH);
    System.arraycopy(disk, 0, disk, 4 * LENGTH, LENGTH);
    backup("web");
    rotFirstSlotOf("web", 1);
    assertThat(look("", 0).lines())
        .containsExactly(
            "web 1 system 0 " + LENGTH,
            "web 1 system " + 3 * LENGTH + " " + LENGTH,
            "web 1 system " + 4 * LENGTH + " " + LENGTH);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void noPointWithACopyOfItsOwn(Kind kind) throws IOException {
    open(kind);
    backup("web");
    rotFirstSlotOf("web", 1);
    look("web", 1);
    backup("db");
    assertThat(outcomes(look("web", 1))).containsExactly("web 1 DAMAGED");
    assertThat(outcomes(look("", 0))).containsExactly("db 1 SOUND", "web 1 DAMAGED");
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void nothingThatCouldNotBeReadOnce(Kind kind) throws IOException {
    open(kind);
    backup("web");
    long metadata = metadata1("web", 1);
    files.failReads(metadata, 1);
    Look look = look("web", 1);
    files.assertReadsFailed();
    assertThat(look.verdicts()).extracting(Verdict::outcome).containsExactly(Outcome.SOUND);
  }
}
