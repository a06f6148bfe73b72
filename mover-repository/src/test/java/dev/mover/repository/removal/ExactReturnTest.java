package dev.mover.repository.removal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.linux.LinuxFile;
import dev.mover.api.linux.LinuxFile.Flag;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.extent.LinuxExtentFiles;
import dev.mover.testkit.LoopMount;
import dev.mover.testkit.LoopMount.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ExactReturnTest {
  private static final int PIECE = 64 << 10;
  private static final int PIECES = 40;

  /** Memory for fewer pieces than there are costs more looks, and nothing else. */
  @Test
  void isTheSameHoweverManyLooksItTakes() throws IOException {
    try (LoopMount mount = LoopMount.orSkip(Kind.XFS, 320L << 20)) {
      ExtentLayout layout = new ExtentLayout(mount.folder());
      Path folder = Files.createDirectories(layout.machines().resolve("m"));
      List<Path> files = new ArrayList<>();
      SplittableRandom random = new SplittableRandom(1);
      for (int i = 1; i <= 4; i++) {
        files.add(ExtentLayout.point(folder, i, new UUID(0, i)));
        byte[] content = new byte[PIECES * PIECE];
        random.nextBytes(content);
        Files.write(files.getLast(), content);
      }
      LinuxFile.syncFileSystem(mount.folder());
      // Of 1 every even piece is in 2 as well, which goes too, and every fourth in 3, which stays.
      for (int piece = 0; piece < PIECES; piece += 2) {
        share(files.get(0), files.get(1), piece);
        if (piece % 4 == 0) {
          share(files.get(0), files.get(2), piece);
        }
      }
      LinuxFile.syncFileSystem(mount.folder());
      long expected = (2L * PIECES - PIECES / 2 - PIECES / 4) * PIECE;
      for (int most : new int[] {1, 2, 3, 7, 1000}) {
        ExactReturn exact = new ExactReturn(new LinuxExtentFiles(true), layout, () -> {}, most);
        exact.add(files.get(0));
        exact.add(files.get(1));
        assertThat(exact.bytes()).as("with memory for %s pieces", most).isEqualTo(expected);
      }
    }
  }

  private static void share(Path from, Path to, int piece) throws IOException {
    try (LinuxFile source = LinuxFile.open(from, Flag.READ);
        LinuxFile target = LinuxFile.open(to, Flag.READ, Flag.WRITE)) {
      target.cloneRange(source, (long) piece * PIECE, PIECE, (long) piece * PIECE);
    }
  }
}
