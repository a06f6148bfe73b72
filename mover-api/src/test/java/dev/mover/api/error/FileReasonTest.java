package dev.mover.api.error;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileReasonTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void tellsTheReasonAndNotThePathAgain() {
    assertThat(reason(() -> Files.readString(folder.resolve("none"))))
        .isEqualTo("no such file or directory");
    assertThat(reason(() -> Files.createDirectory(folder)))
        .isEqualTo("it exists, and is something else");
    assertThat(FileReason.of(new AccessDeniedException("/x"))).isEqualTo("permission denied");
    assertThat(FileReason.of(new FileSystemException("/x", null, "Read-only file system")))
        .isEqualTo("read-only file system");
    assertThat(FileReason.of(new IOException("one\ntwo"))).isEqualTo("one");
  }

  private static String reason(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    return FileReason.of(catchThrowableOfType(IOException.class, call));
  }
}
