package dev.mover.deploy.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.point.Name;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SourceArgumentTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void diskIsCalledLikeTheFileUnlessNamed() {
    assertThat(SourceArgument.parse("/a/disk.img"))
        .isEqualTo(new SourceArgument(new Name("disk.img"), Path.of("/a/disk.img")));
    assertThat(SourceArgument.parse("root=/dev/vda"))
        .isEqualTo(new SourceArgument(new Name("root"), Path.of("/dev/vda")));
  }

  @Test
  void firstEqualsSignEndsTheName() {
    assertThat(SourceArgument.parse("root=/a=b/c=d"))
        .isEqualTo(new SourceArgument(new Name("root"), Path.of("/a=b/c=d")));
  }

  @Test
  void existingPathWithAnEqualsSignIsAPath() throws Exception {
    Path file = Files.createFile(folder.resolve("x=y.img"));

    assertThat(SourceArgument.parse(file.toString()))
        .isEqualTo(new SourceArgument(new Name("x=y.img"), file));
  }

  @Test
  void nameMayHoldSlashesAndSpaces() {
    assertThat(SourceArgument.parse("C: / root=/x").disk()).isEqualTo(new Name("C: / root"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"=/x", "root=", "/", "bad\0path"})
  void refusesWhatNamesNoDisk(String text) {
    assertThatThrownBy(() -> SourceArgument.parse(text))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_USAGE));
  }

  @Test
  void refusesTwoDisksOfOneNameAndSaysHowToNameThem() {
    assertThatThrownBy(() -> SourceArgument.parseAll(List.of("/a/disk.img", "/b/disk.img")))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("disk 'disk.img'")
        .hasMessageContaining("a=/a/disk.img b=/b/disk.img");
  }
}
