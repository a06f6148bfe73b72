package dev.mover.deploy.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.transport.link.RepositoryAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RepositoryPlaceTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"/backup", "backup", ".", "./localhost:7700", "/mnt/a:1", "nas:/export", "a:b"})
  void readsDirectories(String text) {
    assertThat(RepositoryPlace.parse(text)).isEqualTo(new RepositoryPlace.Directory(Path.of(text)));
  }

  @Test
  void readsAddresses() {
    assertThat(RepositoryPlace.parse("mover://[::1]:7"))
        .isEqualTo(new RepositoryPlace.Daemon(new RepositoryAddress("::1", 7)));
  }

  @ParameterizedTest
  @CsvSource({
    "localhost:17700,did you mean mover://localhost:17700?",
    "10.0.0.1:7700/,did you mean mover://10.0.0.1:7700?",
    "[::1]:7701,did you mean mover://[::1]:7701?",
    "[::1],did you mean mover://[::1]:7700?",
    "mover:backup,did you mean mover://backup:7700?",
    "mover:/backup:7,did you mean mover://backup:7?",
    "localhost:99999,write it as mover://host:port",
    "::1:7700,write it as mover://host:port",
    "user@host:7700,write it as mover://host:port",
    ":7700,write it as mover://host:port"
  })
  void makesNoDirectoryOfWhatIsMeantAsAnAddress(String text, String hint) {
    assertThatThrownBy(() -> RepositoryPlace.parse(text))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_ADDRESS))
        .hasMessageContaining("'" + text + "' looks like a daemon's address; " + hint);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\0b", "http://x:1", "mover://"})
  void refusesWhatIsNeither(String text) {
    assertThatThrownBy(() -> RepositoryPlace.parse(text))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_ADDRESS));
  }
}
