package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.api.memory.BufferPool;
import dev.mover.api.point.Name;
import dev.mover.api.point.RemovalMode;
import dev.mover.api.point.Verdict;
import dev.mover.dedup.codec.Compression;
import dev.mover.dedup.domain.DomainFile;
import dev.mover.dedup.domain.Password;
import dev.mover.dedup.domain.PasswordLock.Function;
import dev.mover.dedup.domain.ReaderKeys;
import dev.mover.proxy.BackupRequest;
import dev.mover.proxy.BackupResult;
import dev.mover.proxy.Progress;
import dev.mover.proxy.Proxy;
import dev.mover.proxy.ProxyOptions;
import dev.mover.proxy.RestoreRequest;
import dev.mover.proxy.source.DirectSource;
import dev.mover.repository.Repository;
import dev.mover.repository.RepositoryOptions;
import dev.mover.repository.extent.LinuxExtentFiles;
import dev.mover.repository.file.BackupFile;
import dev.mover.testkit.DiskImages;
import dev.mover.testkit.LoopMount;
import dev.mover.testkit.LoopMount.Kind;
import dev.mover.transport.inprocess.InProcessConnector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Encrypted backups from source to restored disk, through a repository that has no key. */
class EncryptedBackupTest {
  private static final Password PASSWORD = new Password("correct horse");
  private static final DomainFile DOMAIN = DomainFile.create(PASSWORD, Function.PBKDF2).file();
  private static final DomainFile OTHER = DomainFile.create(PASSWORD, Function.PBKDF2).file();
  private static final String MARK = "nobody but its owner shall read this";
  private static final long BYTES = 6 << 20;

  @TempDir Path dir;

  /** What one test works with. */
  private record Here(Path repository, Proxy proxy, InProcessConnector link) {
    BackupResult backup(String machine, Path image, Optional<DomainFile> domain) {
      return proxy.backup(
          new BackupRequest(
              new Name(machine),
              List.of(DirectSource.open(new Name("d"), image)),
              BlockSize.KIB_256,
              Compression.OPTIMAL,
              1,
              domain.map(DomainFile::writerKeys)),
          link,
          Progress.Listener.NONE);
    }

    void restore(String machine, long point, Path target, Optional<ReaderKeys> keys) {
      proxy.restore(
          new RestoreRequest(
              new Name(machine), point, Optional.empty(), target, false, false, keys),
          link,
          Progress.Listener.NONE);
    }

    Path file(String machine, int point) throws IOException {
      try (Stream<Path> files = Files.list(repository.resolve("machines").resolve(machine))) {
        return files
            .filter(f -> f.toString().endsWith(".mbf"))
            .sorted()
            .skip(point - 1L)
            .findFirst()
            .orElseThrow();
      }
    }

    Verdicts verify() {
      Verdicts verdicts = new Verdicts();
      proxy.verify("", 0, true, link, verdicts);
      return verdicts;
    }
  }

  @FunctionalInterface
  private interface Body {
    void run(Here here) throws IOException;
  }

  private void on(Kind kind, Body body) throws IOException {
    try (LoopMount mount = LoopMount.orSkip(kind, 400L << 20)) {
      in(mount.folder().resolve("repository"), body);
    }
  }

  private static void in(Path folder, Body body) throws IOException {
    try (Repository repository = Repository.open(folder, RepositoryOptions.DEFAULT);
        Proxy proxy = new Proxy(ProxyOptions.DEFAULT)) {
      body.run(new Here(folder, proxy, new InProcessConnector(repository.links())));
    }
  }

  /** Points of several sessions, each file with the keys of all its blocks, whatever is deleted. */
  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"XFS", "EXT4"})
  void everyPointBringsTheKeysOfAllItsBlocks(Kind kind) throws IOException {
    on(
        kind,
        here -> {
          Path image = image("disk", 1);
          byte[][] content = new byte[4][];
          for (int point = 1; point <= 3; point++) {
            BackupResult result = here.backup("web", image, Optional.of(DOMAIN));
            assertThat(result.knownBytes() > 0).isEqualTo(point > 1);
            content[point] = Files.readAllBytes(image);
            change(image, point);
          }
          here.proxy().delete(new Name("web"), 1, RemovalMode.DELETE, here.link(), _ -> {});
          assertThat(keys(here.file("web", 2))).isEqualTo(3);
          ReaderKeys keys = DOMAIN.unlock(PASSWORD);
          for (int point = 2; point <= 3; point++) {
            Path target = dir.resolve("restored-" + point);
            here.restore("web", point, target, Optional.of(keys));
            assertThat(Files.readAllBytes(target)).isEqualTo(content[point]);
          }
          assertThat(here.verify().list())
              .hasSize(2)
              .allMatch(v -> v.outcome() == Verdict.Outcome.SOUND);
        });
  }

  @Test
  void machinesOfOneDomainShareBlocksAndTwoDomainsNever() throws IOException {
    on(
        Kind.XFS,
        here -> {
          Path image = image("disk", 2);
          here.backup("plain", image, Optional.empty());
          assertThat(here.backup("a", image, Optional.of(DOMAIN)).knownBytes()).isZero();
          BackupResult shared = here.backup("b", image, Optional.of(DOMAIN));
          assertThat(shared.sentBytes()).isZero();
          assertThat(here.backup("c", image, Optional.of(OTHER)).knownBytes()).isZero();
          here.proxy().delete(new Name("a"), 0, RemovalMode.DELETE, here.link(), _ -> {});
          Path target = dir.resolve("restored");
          here.restore("b", 1, target, Optional.of(DOMAIN.unlock(PASSWORD)));
          assertThat(Files.mismatch(image, target)).isEqualTo(-1);
        });
  }

  /** The index is made anew from files that number their keys each for itself. */
  @Test
  void sharesAfterTheIndexWasLost() throws IOException {
    try (LoopMount mount = LoopMount.orSkip(Kind.XFS, 400L << 20)) {
      Path folder = mount.folder().resolve("repository");
      Path image = image("disk", 3);
      in(
          folder,
          here -> {
            here.backup("a", image, Optional.of(DOMAIN));
            change(image, 7);
            here.backup("a", image, Optional.of(DOMAIN));
          });
      removeTree(folder.resolve("index"));
      in(
          folder,
          here -> {
            BackupResult again = here.backup("b", image, Optional.of(DOMAIN));
            assertThat(again.readBytes()).isPositive();
            here.restore("b", 1, dir.resolve("restored"), Optional.of(DOMAIN.unlock(PASSWORD)));
            assertThat(Files.mismatch(image, dir.resolve("restored"))).isEqualTo(-1);
            assertThat(here.verify().list()).allMatch(v -> v.outcome() == Verdict.Outcome.SOUND);
          });
    }
  }

  @Test
  void keepsNothingReadableAndNoKey() throws IOException {
    Path folder = dir.resolve("repository");
    in(
        folder,
        here -> {
          Path image = dir.resolve("text");
          Files.writeString(image, MARK.repeat(40_000));
          here.backup("web", image, Optional.of(DOMAIN));
        });
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
        assertThat(bytes.contains(MARK.substring(0, 16))).as(file.toString()).isFalse();
        assertThat(bytes.contains(new String(DOMAIN.idKey(), StandardCharsets.ISO_8859_1)))
            .isFalse();
      }
    }
  }

  @Test
  void opensForNobodyElse() throws IOException {
    in(
        dir.resolve("repository"),
        here -> {
          Path image = image("disk", 4);
          here.backup("web", image, Optional.of(DOMAIN));
          here.backup("plain", image, Optional.empty());
          Path target = dir.resolve("target");
          ReaderKeys mine = DOMAIN.unlock(PASSWORD);
          ReaderKeys others = OTHER.unlock(PASSWORD);
          assertFails(
              ErrorCode.DOMAIN_NEEDED, () -> here.restore("web", 1, target, Optional.empty()));
          assertFails(
              ErrorCode.OTHER_DOMAIN, () -> here.restore("web", 1, target, Optional.of(others)));
          assertFails(
              ErrorCode.OTHER_DOMAIN, () -> here.restore("plain", 1, target, Optional.of(mine)));
          assertThat(target).doesNotExist();
        });
  }

  /** A genuine point in the place of another: everything in it is as it was, but for what it is. */
  @Test
  void refusesAPointThatTheRepositoryPutInAnothersPlace() throws IOException {
    Path folder = dir.resolve("repository");
    Path image = image("disk", 5);
    in(
        folder,
        here -> {
          here.backup("web", image, Optional.of(DOMAIN));
          here.backup("db", image("other", 6), Optional.of(DOMAIN));
          Path web = here.file("web", 1);
          Files.copy(here.file("db", 1), web, StandardCopyOption.REPLACE_EXISTING);
          assertFails(
              ErrorCode.SEAL_BROKEN,
              () ->
                  here.restore(
                      "web", 1, dir.resolve("target"), Optional.of(DOMAIN.unlock(PASSWORD))));
          assertThat(dir.resolve("target")).doesNotExist();
        });
  }

  @Test
  void refusesAnOlderPointInTheNewersPlace() throws IOException {
    in(
        dir.resolve("repository"),
        here -> {
          Path image = image("disk", 11);
          here.backup("web", image, Optional.of(DOMAIN));
          here.backup("web", image, Optional.of(DOMAIN));
          Files.copy(here.file("web", 1), here.file("web", 2), StandardCopyOption.REPLACE_EXISTING);
          ReaderKeys keys = DOMAIN.unlock(PASSWORD);
          assertFails(
              ErrorCode.SEAL_BROKEN,
              () -> here.restore("web", 2, dir.resolve("target"), Optional.of(keys)));
          assertThat(dir.resolve("target")).doesNotExist();
        });
  }

  /** The repository finds rot in what it can't read. */
  @Test
  void findsRotWithoutAKeyAndHealsIt() throws IOException {
    in(
        dir.resolve("repository"),
        here -> {
          Path image = image("disk", 8);
          here.backup("web", image, Optional.of(DOMAIN));
          Path file = here.file("web", 1);
          try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 4096 + 128 + 50);
          }
          assertThat(here.verify().list())
              .singleElement()
              .matches(v -> v.outcome() == Verdict.Outcome.DAMAGED);
          here.backup("web", image, Optional.of(DOMAIN));
          assertThat(here.verify().list())
              .hasSize(2)
              .allMatch(v -> v.outcome() == Verdict.Outcome.SOUND);
          for (int point = 1; point <= 2; point++) {
            Path target = dir.resolve("restored-" + point);
            here.restore("web", point, target, Optional.of(DOMAIN.unlock(PASSWORD)));
            assertThat(Files.mismatch(image, target)).isEqualTo(-1);
          }
        });
  }

  @Test
  void goesOnUnderANewKeyPairAndSharesWhatWasThere() throws IOException {
    in(
        dir.resolve("repository"),
        here -> {
          Path image = image("disk", 9);
          here.backup("web", image, Optional.of(DOMAIN.writerOnly()));
          DomainFile rotated = DOMAIN.rotate();
          change(image, 10);
          BackupResult second = here.backup("web", image, Optional.of(rotated.writerOnly()));
          assertThat(second.knownBytes()).isPositive();
          here.restore("web", 2, dir.resolve("restored"), Optional.of(rotated.unlock(PASSWORD)));
          assertThat(Files.mismatch(image, dir.resolve("restored"))).isEqualTo(-1);
          assertFails(
              ErrorCode.OTHER_DOMAIN,
              () ->
                  here.restore(
                      "web", 2, dir.resolve("target"), Optional.of(DOMAIN.unlock(PASSWORD))));
        });
  }

  private static void removeTree(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private Path image(String name, long seed) throws IOException {
    Path image = dir.resolve(name);
    DiskImages.create(image, BYTES, seed);
    return image;
  }

  /** One block in the middle gets new content. */
  private static void change(Path image, int seed) throws IOException {
    byte[] fresh = new byte[1000];
    new Random(seed).nextBytes(fresh);
    try (FileChannel channel = FileChannel.open(image, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(fresh), (long) seed * BlockSize.KIB_256.bytes());
    }
  }

  private static int keys(Path file) {
    try (BufferPool pool = new BufferPool("keys", Side.REPOSITORY, 1 << 20);
        BackupFile open = BackupFile.open(new LinuxExtentFiles(false), file, pool)) {
      return open.keys(0, 100).size();
    }
  }

  private static void assertFails(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(MoverException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
