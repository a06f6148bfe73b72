package dev.mover.dedup.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.WrappedKey;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.KeyException;
import dev.mover.api.error.MoverException;
import dev.mover.dedup.domain.PasswordLock.Function;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DomainFileTest {
  private static final Password PASSWORD = new Password("correct horse");
  private static final Password OTHER = new Password("battery staple");

  @TempDir Path folder;

  private static final DomainFile.WithKey MADE = DomainFile.create(PASSWORD, Function.ARGON2ID);
  private static final DomainFile DOMAIN = MADE.file();

  @Test
  void unlocksWithPasswordAndRecoveryKeyAsTyped() {
    WrappedKey wrapped = DOMAIN.writerKeys().newKey().told().key();
    assertThat(DOMAIN.unlock(PASSWORD).unwrap(wrapped).id()).isEqualTo(wrapped.id());
    String typed = MADE.key().text().toLowerCase(java.util.Locale.ROOT).replace(' ', '-');
    assertThat(DOMAIN.unlock(PaperKey.parse(typed)).unwrap(wrapped).id()).isEqualTo(wrapped.id());
  }

  @Test
  void tellsAWrongPasswordFromADamagedKeyAndFromAnotherDomains() {
    assertFails(ErrorCode.WRONG_PASSWORD, () -> DOMAIN.unlock(OTHER));
    String text = MADE.key().text();
    char last = text.charAt(5);
    assertFails(
        ErrorCode.KEY_DAMAGED,
        () -> PaperKey.parse(text.substring(0, 5) + (last == 'A' ? 'B' : 'A') + text.substring(6)));
    assertFails(ErrorCode.KEY_DAMAGED, () -> PaperKey.parse(text.substring(2)));
    assertFails(ErrorCode.KEY_DAMAGED, () -> PaperKey.parse(text + "A"));
    DomainFile.WithKey second = DomainFile.create(PASSWORD, Function.PBKDF2);
    assertFails(ErrorCode.OTHER_DOMAIN, () -> DOMAIN.unlock(second.key()));
    WrappedKey foreign = second.file().writerKeys().newKey().told().key();
    assertFails(ErrorCode.OTHER_DOMAIN, () -> DOMAIN.unlock(PASSWORD).unwrap(foreign));
  }

  @Test
  void changesAddsAndRevokesWithoutTouchingWhatIsWritten() {
    WrappedKey wrapped = DOMAIN.writerKeys().newKey().told().key();
    DomainFile two = DOMAIN.addPassword("night shift", MADE.key(), OTHER, Function.PBKDF2);
    assertThat(two.unlock(OTHER).unwrap(wrapped).id()).isEqualTo(wrapped.id());
    DomainFile changed = two.changePassword(PASSWORD, new Password("new"), Function.ARGON2ID);
    assertFails(ErrorCode.WRONG_PASSWORD, () -> changed.unlock(PASSWORD));
    assertThat(changed.unlock(new Password("new")).unwrap(wrapped)).isNotNull();
    DomainFile revoked = changed.revoke("night shift");
    assertFails(ErrorCode.WRONG_PASSWORD, () -> revoked.unlock(OTHER));
    DomainFile.WithKey withFile = revoked.addKey("vault", new Password("new"));
    DomainFile left = withFile.file().revoke("recovery").revoke("password");
    assertFails(ErrorCode.OTHER_DOMAIN, () -> left.unlock(MADE.key()));
    assertThat(left.unlock(withFile.key()).unwrap(wrapped)).isNotNull();
    assertFails(ErrorCode.BAD_USAGE, () -> left.revoke("vault"));
    assertFails(ErrorCode.BAD_USAGE, () -> left.revoke("nobody"));
  }

  /** Who was revoked keeps what they had, and gets nothing of what is written after a rotation. */
  @Test
  void protectsWhatIsWrittenAfterARotationFromWhoWasRevoked() {
    DomainFile two = DOMAIN.addPassword("leaver", PASSWORD, OTHER, Function.PBKDF2);
    WrappedKey before = two.writerKeys().newKey().told().key();
    DomainFile rotated = two.revoke("leaver").rotate();
    WrappedKey after = rotated.writerKeys().newKey().told().key();
    assertThat(two.unlock(OTHER).unwrap(before)).isNotNull();
    assertFails(ErrorCode.OTHER_DOMAIN, () -> two.unlock(OTHER).unwrap(after));
    ReaderKeys reader = rotated.unlock(MADE.key());
    assertThat(reader.unwrap(before)).isNotNull();
    assertThat(reader.unwrap(after)).isNotNull();
  }

  @Test
  void aWritersCopyEncryptsAndOpensNothing() {
    DomainFile writer = DOMAIN.writerOnly();
    WrappedKey wrapped = writer.writerKeys().newKey().told().key();
    assertThat(DOMAIN.unlock(PASSWORD).unwrap(wrapped)).isNotNull();
    assertFails(ErrorCode.DOMAIN_NEEDED, () -> writer.unlock(PASSWORD));
    assertFails(ErrorCode.DOMAIN_NEEDED, () -> writer.unlock(MADE.key()));
    assertFails(ErrorCode.DOMAIN_NEEDED, writer::rotate);
    assertThat(writer.generations()).allMatch(g -> g.shares().isEmpty());
  }

  @Test
  void keepsAllOfItInAFileOfItsOwner() throws IOException {
    Path file = folder.resolve("company.domain");
    DomainFile whole = DOMAIN.rotate().addPassword("b", PASSWORD, OTHER, Function.PBKDF2);
    DomainJson.create(file, whole);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    DomainFile read = DomainJson.read(file);
    WrappedKey wrapped = read.writerKeys().newKey().told().key();
    for (Unlocking with : List.of(PASSWORD, OTHER, MADE.key())) {
      assertThat(read.unlock(with).unwrap(wrapped)).isNotNull();
    }
    assertFails(ErrorCode.BAD_USAGE, () -> DomainJson.create(file, DOMAIN));
    assertThat(Files.readString(file)).doesNotContain("correct horse");
  }

  @Test
  void saysOfADamagedFileThatItIsDamaged() throws IOException {
    Path file = folder.resolve("company.domain");
    DomainJson.create(file, DOMAIN);
    String text = Files.readString(file);
    int at = text.indexOf("\"salt\" : \"") + 12;
    char old = text.charAt(at);
    Files.writeString(
        file, text.substring(0, at) + (old == 'A' ? 'B' : 'A') + text.substring(at + 1));
    assertFails(ErrorCode.KEY_DAMAGED, () -> DomainJson.read(file));
    for (String none : List.of("", "{}", "[]", "\u0000", text.substring(0, 200))) {
      Files.write(file, none.getBytes(StandardCharsets.UTF_8));
      assertFails(ErrorCode.KEY_DAMAGED, () -> DomainJson.read(file));
    }
    assertFails(ErrorCode.BAD_USAGE, () -> DomainJson.read(folder.resolve("missing")));
  }

  @Test
  void refusesAWrappedKeyThatWasChanged() {
    WrappedKey wrapped = DOMAIN.writerKeys().newKey().told().key();
    ReaderKeys reader = DOMAIN.unlock(PASSWORD);
    for (int at : new int[] {0, 20, 60, 96}) {
      byte[] bytes = wrapped.bytes();
      bytes[at] ^= 1;
      assertFails(
          ErrorCode.BLOCK_DAMAGED, () -> reader.unwrap(new WrappedKey(wrapped.id(), bytes)));
    }
    assertFails(
        ErrorCode.BLOCK_DAMAGED,
        () -> reader.unwrap(new WrappedKey(new java.util.UUID(9, 9), wrapped.bytes())));
  }

  private static void assertFails(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MoverException.class,
            e -> {
              assertThat(e.code()).isEqualTo(code);
              assertThat(e instanceof KeyException).isEqualTo(code.number() / 100 == 8);
              assertThat(e.getMessage()).doesNotContain("horse", "staple");
            });
  }
}
