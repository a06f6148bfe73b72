package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.point.RestorePoint;
import dev.mover.testkit.LoopMount.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A repository on a real file system, and a machine of which points come and go. */
abstract class DeletablePoints extends MountedRepository {
  /** What the points of machine web hold, by sequence. */
  final Map<Long, byte[]> web = new HashMap<>();

  DeletablePoints(Kind kind) {
    super(kind);
  }

  /** Points of a machine of 12 blocks, of which every point changes two. */
  void backUpWeb(int points) {
    byte[] disk = Content.disk(12 * SIZE.bytes(), 7);
    for (int i = 0; i < points; i++) {
      disk[i % 12 * SIZE.bytes() + 5] ^= (byte) (1 + i);
      disk[(i * 5 + 3) % 12 * SIZE.bytes() + 5] ^= (byte) (1 + i);
      backup("web", disk);
    }
  }

  void backup(String machine, byte[] disk) {
    long sequence =
        ScriptedProxy.backup(repository().links(), SIZE, machine, Map.of("system", disk))
            .sequence();
    if (machine.equals("web")) {
      web.put(sequence, disk.clone());
    }
  }

  ScriptedRemoval delete(long sequence) {
    ScriptedRemoval removal = ScriptedRemoval.delete(repository().links(), "web", sequence);
    removal.only().sequences().forEach(web::remove);
    return removal;
  }

  /** Everything that is left, and nothing else, is listed, restores and verifies. */
  void assertWhole() {
    assertThat(sequences("web")).containsExactlyElementsOf(web.keySet().stream().sorted().toList());
    web.forEach(
        (sequence, disk) ->
            assertThat(ScriptedReader.restore(repository().links(), "web", sequence, 0))
                .as("point %d", sequence)
                .isEqualTo(disk));
    assertSound();
  }

  List<Long> sequences(String machine) {
    return ScriptedReader.points(repository().links(), machine).stream()
        .map(RestorePoint::sequence)
        .toList();
  }
}
