package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.RestorePoint;
import dev.mover.api.point.Verdict;
import dev.mover.api.point.Verdict.Outcome;
import dev.mover.repository.file.Page;
import dev.mover.testkit.LoopMount.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Everything about a point that is there twice may rot once. */
class MetadataRotTest extends OnRealFileSystems {
  /** A page of disks and one of the map, in each copy. */
  private static final int PAGES = 2;

  private List<Verdict> verdicts(String machine) {
    return ScriptedReader.verify(repository().links(), machine, true);
  }

  private void assertRecovered(String... naming) throws IOException {
    assertThat(ScriptedReader.points(repository().links(), "web"))
        .allMatch(RestorePoint::isReadable);
    assertRestores("web", 1);
    Verdict verdict = verdicts("web").getFirst();
    assertThat(verdict.outcome()).isEqualTo(Outcome.RECOVERED);
    assertThat(verdict.findings()).hasSize(naming.length);
    for (int i = 0; i < naming.length; i++) {
      assertThat(verdict.findings().get(i)).contains(point("web", 1).toString(), naming[i]);
    }
    try (Repository beside = Repository.openReadOnly(directory)) {
      assertThat(ScriptedReader.points(beside.links(), "web")).allMatch(RestorePoint::isReadable);
      assertThat(ScriptedReader.restore(beside.links(), "web", 1, 0)).isEqualTo(disk);
    }
    closeRepository();
    SessionContract.removeTree(directory.resolve("index"));
    reopen();
    assertThat(ScriptedReader.points(repository().links(), "web"))
        .hasSize(1)
        .allMatch(RestorePoint::isReadable);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void onePlaceAfterTheOther(Kind kind) throws IOException {
    open(kind);
    backup("web");
    Path file = point("web", 1);
    byte[] whole = Files.readAllBytes(file);
    long copy1 = metadata1("web", 1);
    long copy2 = copy1 + PAGES * Page.BYTES;
    damageAndExpect(file, whole, 100, "the superblock is damaged");
    damageAndExpect(file, whole, 2048 + 100, "the footer's copy in the superblock is damaged");
    for (long page = 0; page < PAGES; page++) {
      String where = "1 of 2 pages, the first is page " + page;
      damageAndExpect(
          file, whole, copy1 + page * Page.BYTES + 50, "metadata copy 1 is damaged: " + where);
      damageAndExpect(
          file, whole, copy2 + page * Page.BYTES + 50, "metadata copy 2 is damaged: " + where);
    }
    damageAndExpect(file, whole, whole.length - 4096 + 200, "its copy in the superblock was used");
  }

  private void damageAndExpect(Path file, byte[] whole, long at, String finding)
      throws IOException {
    SessionContract.damage(file, at);
    // Damage to disk tables is met when the file is opened, too.
    Verdict verdict = verdicts("web").getFirst();
    assertThat(verdict.outcome()).isEqualTo(Outcome.RECOVERED);
    assertThat(verdict.findings()).as("damage at %d", at).anyMatch(f -> f.contains(finding));
    assertRestores("web", 1);
    assertThat(ScriptedReader.points(repository().links(), "web"))
        .allMatch(RestorePoint::isReadable);
    Files.write(file, whole);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void pagesOfBothCopiesAndAFooter(Kind kind) throws IOException {
    open(kind);
    backup("web");
    Path file = point("web", 1);
    long copy1 = metadata1("web", 1);
    SessionContract.damage(file, copy1 + Page.BYTES + 50);
    SessionContract.damage(file, copy1 + PAGES * Page.BYTES + 50);
    SessionContract.damage(file, Files.size(file) - 4000);
    assertRecovered("footer is damaged", "metadata copy 1", "metadata copy 2");
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void notTheSamePageTwice(Kind kind) throws IOException {
    open(kind);
    backup("web");
    Path file = point("web", 1);
    long copy1 = metadata1("web", 1);
    SessionContract.damage(file, copy1 + Page.BYTES + 50);
    SessionContract.damage(file, copy1 + (PAGES + 1) * Page.BYTES + 50);
    assertThat(verdicts("web").getFirst().outcome()).isEqualTo(Outcome.DAMAGED);
    assertThatThrownBy(() -> ScriptedReader.restore(repository().links(), "web", 1, 0))
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.METADATA_DAMAGED))
        .hasMessageContaining(file.toString())
        .hasMessageContaining("both copies of metadata page 1 are damaged");
    backup("web");
    assertRestores("web", 2);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void notBothFooters(Kind kind) throws IOException {
    open(kind);
    backup("web");
    Path file = point("web", 1);
    SessionContract.damage(file, 2048 + 100);
    SessionContract.damage(file, Files.size(file) - 4000);
    assertThatThrownBy(() -> ScriptedReader.restore(repository().links(), "web", 1, 0))
        .isInstanceOfSatisfying(
            MoverException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.METADATA_DAMAGED))
        .hasMessageContaining(file.toString())
        .hasMessageContaining("footer and superblock are damaged");
    backup("web");
    assertRestores("web", 2);
    assertThat(verify("web")).containsExactly(Outcome.DAMAGED, Outcome.SOUND);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aFooterAloneMakesNoPointOfAPartial(Kind kind) throws IOException {
    open(kind);
    backup("web");
    Path file = point("web", 1);
    closeRepository();
    Path partial = file.resolveSibling(file.getFileName().toString().replace(".mbf", ".partial"));
    Files.move(file, partial);
    SessionContract.removeTree(directory.resolve("index"));
    reopen();
    assertThat(ScriptedReader.points(repository().links(), "")).isEmpty();
    backup("web");
    assertThat(ScriptedReader.points(repository().links(), "")).hasSize(1);
    assertThat(verify("web")).containsExactly(Outcome.SOUND);
  }
}
