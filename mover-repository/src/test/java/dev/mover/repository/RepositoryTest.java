package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockSize;
import dev.mover.api.point.RestorePoint;
import dev.mover.api.point.Verdict;
import dev.mover.transport.frame.Committed;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a repository promises, on a plain directory. */
class RepositoryTest {
  private static final BlockSize SIZE = BlockSize.KIB_256;

  @TempDir Path temp;

  @Test
  void givesBackWhatWasBackedUp() {
    Map<String, byte[]> disks = new LinkedHashMap<>();
    disks.put("system", Content.disk(9 * SIZE.bytes() + 511, 1));
    disks.put("empty", new byte[0]);
    disks.put("one byte", new byte[] {7});
    disks.put("hole", new byte[5 * SIZE.bytes()]);
    try (Repository repository = Repository.open(temp, RepositoryOptions.DEFAULT)) {
      Committed first = ScriptedProxy.backup(repository.links(), SIZE, "web", disks);
      assertThat(first.sequence()).isEqualTo(1);
      int disk = 0;
      for (byte[] content : disks.values()) {
        assertThat(ScriptedReader.restore(repository.links(), "web", 0, disk++)).isEqualTo(content);
      }
      List<RestorePoint> points = ScriptedReader.points(repository.links(), "");
      assertThat(points).hasSize(1);
      List<Verdict> verdicts = ScriptedReader.verify(repository.links(), "", true);
      assertThat(verdicts).hasSize(1);
      assertThat(verdicts.getFirst().findings()).isEmpty();
      assertThat(verdicts.getFirst().outcome()).isEqualTo(Verdict.Outcome.SOUND);
      assertThat(verdicts.getFirst().blocksChecked()).isGreaterThan(5);
    }
  }
}
