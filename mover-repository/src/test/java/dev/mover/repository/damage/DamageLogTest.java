package dev.mover.repository.damage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.block.BlockId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DamageLogTest {
  private static final UUID OLD = new UUID(0, 1);
  private static final UUID NEW = new UUID(0, 2);
  private static final UUID NEWER = new UUID(0, 3);

  @TempDir Path temp;
  private final List<BlockId> forgotten = new ArrayList<>();

  private static BlockId block(long n) {
    return new BlockId(n, 0, 0, 7);
  }

  private DamagedBlocks open(UUID... present) {
    return open(DamagedBlocks.MOST_BLOCKS, present);
  }

  private DamagedBlocks open(int most, UUID... present) {
    return DamagedBlocks.open(log(), most, forgotten::add, () -> Stream.of(present));
  }

  private Path log() {
    return temp.resolve("damaged");
  }

  @Test
  void onlyFilesOpenedAfterTheDamageAreGood() {
    DamagedBlocks damaged = open(OLD);
    damaged.opened(OLD);
    assertThat(damaged.isSuspect(block(1), OLD)).isFalse();
    damaged.mark(block(1), OLD);
    damaged.opened(NEW);
    for (DamagedBlocks known : List.of(damaged, open(OLD, NEW))) {
      assertThat(known.isSuspect(block(1), OLD)).isTrue();
      assertThat(known.isSuspect(block(1), NEWER)).as("not opened").isTrue();
      assertThat(known.isSuspect(block(1), NEW)).isFalse();
      assertThat(known.isSuspect(block(2), OLD)).isFalse();
    }
    assertThat(forgotten).containsExactly(block(1));
  }

  @Test
  void damageOfFilesThatAreGoneIsForgotten() {
    DamagedBlocks damaged = open(OLD);
    damaged.opened(OLD);
    damaged.mark(block(1), OLD);
    damaged.opened(NEW);
    damaged.forgetGone(() -> Stream.of(OLD, NEW));
    assertThat(damaged.count()).isEqualTo(1);
    assertThat(damaged.isSuspect(block(1), OLD)).isTrue();
    damaged.forgetGone(() -> Stream.of(NEW));
    assertThat(damaged.count()).isZero();
    assertThat(damaged.isSuspect(block(1), NEWER)).isFalse();
  }

  @Test
  void writesNothingWhileNothingIsDamaged() throws IOException {
    open().opened(NEW);
    assertThat(Files.size(log())).isZero();
  }

  @Test
  void knownDamageThatIsSeenAgainChangesNothing() throws IOException {
    DamagedBlocks damaged = open();
    damaged.mark(block(1), OLD);
    damaged.opened(NEW);
    long bytes = Files.size(log());
    damaged.mark(block(1), OLD);
    assertThat(Files.size(log())).isEqualTo(bytes);
    damaged.mark(block(1), NEW);
    assertThat(damaged.isSuspect(block(1), NEW)).isTrue();
  }

  @Test
  void whatAnotherProcessFoundIsKnownToTheNextSession() {
    DamagedBlocks writer = open();
    DamagedBlocks reader = DamagedBlocks.besideWriter(log());
    reader.mark(block(1), OLD);
    writer.opened(NEW);
    assertThat(writer.isSuspect(block(1), OLD)).isTrue();
    assertThat(writer.isSuspect(block(1), NEW)).isFalse();
  }

  @Test
  void aReaderOfACopyWritesNothing() {
    DamagedBlocks reader = DamagedBlocks.besideWriter(log());
    reader.mark(block(1), OLD);
    assertThat(log()).doesNotExist();
    assertThat(reader.isSuspect(block(1), OLD)).isTrue();
  }

  @Test
  void moreDamageThanFitsIsDamageOfEverything() {
    DamagedBlocks damaged = open(3);
    for (int n = 0; n < 5; n++) {
      damaged.mark(block(n), OLD);
    }
    assertThat(damaged.count()).isLessThanOrEqualTo(3);
    damaged.opened(NEW);
    for (DamagedBlocks known : List.of(damaged, open(3, OLD, NEW))) {
      assertThat(known.isSuspect(block(99), OLD)).isTrue();
      assertThat(known.isSuspect(block(0), NEW)).isFalse();
    }
  }

  @Test
  void forgetsWhatNoFileCanHaveAnyMore() throws IOException {
    DamagedBlocks damaged = open();
    damaged.mark(block(1), OLD);
    damaged.opened(NEW);
    damaged.mark(block(2), NEW);
    damaged.opened(NEWER);
    assertThat(open(NEW, NEWER).isSuspect(block(1), OLD)).isFalse();
    assertThat(open(NEW, NEWER).isSuspect(block(2), NEW)).isTrue();
    assertThat(open(NEW, NEWER).isSuspect(block(2), NEWER)).isFalse();
    open(NEWER);
    assertThat(Files.size(log())).isZero();
  }

  @Test
  void passesOverARecordThatIsDamagedItself() throws IOException {
    DamagedBlocks damaged = open();
    damaged.mark(block(1), OLD);
    damaged.mark(block(2), OLD);
    byte[] bytes = Files.readAllBytes(log());
    bytes[30] ^= 1;
    Files.write(log(), bytes);
    Files.write(log(), new byte[17], StandardOpenOption.APPEND); // cut off by a crash
    DamagedBlocks again = open(OLD);
    assertThat(again.isSuspect(block(1), OLD)).isFalse();
    assertThat(again.isSuspect(block(2), OLD)).isTrue();
    again.mark(block(3), OLD);
    assertThat(open(OLD).isSuspect(block(3), OLD)).isTrue();
  }

  @Test
  void whatCannotBeReadMakesEverythingSuspect() throws IOException {
    Files.createDirectory(log());
    Files.writeString(log().resolve("longer than a record, whatever the file system"), "y");
    DamagedBlocks damaged = open(OLD);
    assertThat(damaged.isSuspect(block(1), OLD)).isTrue();
  }
}
