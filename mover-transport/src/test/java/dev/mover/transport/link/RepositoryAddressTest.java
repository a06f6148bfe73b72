package dev.mover.transport.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RepositoryAddressTest {
  @ParameterizedTest
  @CsvSource({
    "mover://backup, backup, 7700, mover://backup:7700",
    "mover://backup.example.org:1, backup.example.org, 1, mover://backup.example.org:1",
    "mover://192.0.2.1:65535, 192.0.2.1, 65535, mover://192.0.2.1:65535",
    "mover://[::1], ::1, 7700, mover://[::1]:7700",
    "mover://[fe80::1%eth0]:7701/, fe80::1%eth0, 7701, mover://[fe80::1%eth0]:7701",
  })
  void readsWhatItWrites(String text, String host, int port, String written) {
    RepositoryAddress address = RepositoryAddress.parse(text);
    assertThat(address).isEqualTo(new RepositoryAddress(host, port)).hasToString(written);
    assertThat(RepositoryAddress.parse(written)).isEqualTo(address);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "backup:7700",
        "http://backup",
        "mover://",
        "mover://:7700",
        "mover://backup:",
        "mover://backup:0",
        "mover://backup:65536",
        "mover://backup:99999999999",
        "mover://backup:77x",
        "mover://::1",
        "mover://[::1",
        "mover://[backup]:7700",
        "mover://[10]",
        "mover://user@backup",
        "mover://backup/path",
        "mover://back up",
        "mover://backup\n"
      })
  void refusesEverythingElseAndShowsTheForm(String text) {
    assertThatThrownBy(() -> RepositoryAddress.parse(text))
        .hasMessageContaining("mover://host:port")
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_ADDRESS));
  }

  @Test
  void knowsAnAddressFromAPath() {
    assertThat(RepositoryAddress.isMeantBy("mover://x y")).isTrue();
    assertThat(RepositoryAddress.isMeantBy("/backup/mover")).isFalse();
  }
}
