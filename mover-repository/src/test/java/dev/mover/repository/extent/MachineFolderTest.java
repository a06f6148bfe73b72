package dev.mover.repository.extent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.api.point.Name;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MachineFolderTest {
  @Test
  void anyNameBecomesOneFolderName() {
    assertThat(MachineFolder.of(new Name("web-01.example_x"))).isEqualTo("web-01.example_x");
    assertThat(MachineFolder.of(new Name(".."))).isEqualTo("%2E.");
    assertThat(MachineFolder.of(new Name("a/b c"))).isEqualTo("a%2Fb%20c");
    assertThat(MachineFolder.of(new Name("é%"))).isEqualTo("%C3%A9%25");
    assertThat(MachineFolder.of(new Name("x".repeat(180)))).isEqualTo("x".repeat(180));
  }

  @Test
  void longNamesStayShortAndApart() {
    String common = "🦉".repeat(62);
    List<Name> names =
        List.of(
            new Name(common + "1"),
            new Name(common + "2"),
            new Name("x".repeat(181)),
            new Name("x".repeat(255)));
    Set<String> folders = new HashSet<>();
    for (Name name : names) {
      String folder = MachineFolder.of(name);
      assertThat(folder).hasSize(133).matches("[A-Za-z0-9._%-]{100}~[0-9a-f]{32}");
      folders.add(folder);
    }
    assertThat(folders).hasSameSizeAs(names);
  }
}
