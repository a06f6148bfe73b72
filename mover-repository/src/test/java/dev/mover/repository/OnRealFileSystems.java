package dev.mover.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.point.Verdict;
import dev.mover.api.point.Verdict.Outcome;
import dev.mover.dedup.digest.BlockDigest;
import dev.mover.testkit.LoopMount;
import dev.mover.testkit.LoopMount.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;

/** A repository on a real file system, and a machine's disk to damage. */
abstract class OnRealFileSystems {
  static final BlockSize SIZE = BlockSize.KIB_256;
  static final int BLOCKS = 10;

  private static final Map<Kind, LoopMount> MOUNTS = new EnumMap<>(Kind.class);

  final byte[] disk = Content.disk(BLOCKS * SIZE.bytes(), 1);
  Path directory = Path.of("unset");
  private Kind kind = Kind.XFS;
  private @Nullable Repository opened;
  final FaultyFiles files = new FaultyFiles();

  void open(Kind on) throws IOException {
    kind = on;
    LoopMount mount = MOUNTS.computeIfAbsent(on, k -> LoopMount.orSkip(k, 320L << 20));
    directory = Files.createTempDirectory(mount.folder(), "damage-").resolve("repository");
    reopen();
  }

  void closeRepository() {
    if (opened != null) {
      opened.close();
      opened = null;
    }
  }

  void reopen() {
    closeRepository();
    opened =
        Repository.open(directory, RepositoryOptions.DEFAULT, files::over, RepositoryTimes.DEFAULT);
  }

  /** Lets a byte of the payload of the first slot rot on the device, below the file system. */
  void rotFirstSlotOf(String machine, long sequence) throws IOException {
    Objects.requireNonNull(MOUNTS.get(kind))
        .rot(point(machine, sequence), slotOffset(machine, sequence), 300);
  }

  /** Where block 0 of a point lies, which has it in its own file. */
  long slotOffset(String machine, long sequence) throws IOException {
    return StoredSlots.own(point(machine, sequence)).getFirst().offset();
  }

  Repository repository() {
    return Objects.requireNonNull(opened);
  }

  @AfterEach
  void close() throws IOException {
    if (opened != null) {
      opened.close();
      assertThat(opened.leasedBytes()).isZero();
      SessionContract.removeTree(Objects.requireNonNull(directory.getParent()));
    }
  }

  @AfterAll
  static void unmount() {
    MOUNTS.values().forEach(LoopMount::close);
    MOUNTS.clear();
  }

  /** Backs the disk up; how many blocks had to be sent. */
  int backup(String machine) {
    try (ScriptedProxy proxy = new ScriptedProxy(repository().links(), SIZE)) {
      proxy.run(machine, Map.of("system", disk));
      return proxy.sentBlocks;
    }
  }

  List<Outcome> verify(String machine) {
    return ScriptedReader.verify(repository().links(), machine, true).stream()
        .map(Verdict::outcome)
        .toList();
  }

  void assertRestores(String machine, long sequence) {
    assertThat(ScriptedReader.restore(repository().links(), machine, sequence, 0)).isEqualTo(disk);
  }

  Path point(String machine, long sequence) throws IOException {
    try (Stream<Path> all = Files.list(directory.resolve("machines").resolve(machine))) {
      return all.filter(p -> p.getFileName().toString().startsWith("%010d-".formatted(sequence)))
          .findFirst()
          .orElseThrow();
    }
  }

  /** Where the first copy of a point's metadata begins. */
  long metadata1(String machine, long sequence) throws IOException {
    try (FileChannel in = FileChannel.open(point(machine, sequence), StandardOpenOption.READ)) {
      ByteBuffer offset = ByteBuffer.allocate(Long.BYTES);
      in.read(offset, in.size() - 4096 + 64);
      return offset.getLong(0);
    }
  }

  static BlockId id(byte[] disk, int block) {
    ByteBuffer plain = ByteBuffer.allocateDirect(SIZE.bytes());
    plain.put(disk, block * SIZE.bytes(), SIZE.bytes()).flip();
    return new BlockDigest().id(plain);
  }
}
