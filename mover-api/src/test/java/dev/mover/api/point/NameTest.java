package dev.mover.api.point;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NameTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"a", "..", ".", "/", "a/../b", " ", "web 01", "🦉", "Ünïcode", "%2F", "-"})
  void takesWhateverAPersonMayCallAMachine(String name) {
    assertThat(new Name(name)).hasToString(name);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a\nb",
        "\u0000",
        "tab\t",
        "\u0085",
        "line\u2028",
        "\u2029",
        "\ud800x",
        "x\udc00"
      })
  void refusesWhatNoListingCouldShow(String name) {
    assertThatThrownBy(() -> new Name(name))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_NAME));
  }

  @Test
  void countsBytesAndNotCharacters() {
    assertThat(new Name("a".repeat(255)).value()).hasSize(255);
    assertThat(new Name("é".repeat(127)).value()).hasSize(127);
    assertThatThrownBy(() -> new Name("a".repeat(256))).hasMessageContaining("256");
    assertThatThrownBy(() -> new Name("é".repeat(128))).hasMessageContaining("256");
  }

  @Test
  void isOneNameHoweverItWasTyped() {
    assertThat(new Name("e\u0301")).isEqualTo(new Name("\u00e9"));
  }

  @Test
  void boundsTheSizeOfADisk() {
    Name name = new Name("disk");
    assertThat(new DiskSpec(name, DiskSpec.MAX_BYTES, 4096).sizeBytes())
        .isEqualTo(Long.MAX_VALUE - 511);
    assertThatThrownBy(() -> new DiskSpec(name, -1, 512)).isInstanceOf(InputException.class);
    assertThatThrownBy(() -> new DiskSpec(name, Long.MAX_VALUE, 512))
        .isInstanceOf(InputException.class);
    assertThatThrownBy(() -> new DiskSpec(name, 1, 513)).isInstanceOf(InputException.class);
  }
}
