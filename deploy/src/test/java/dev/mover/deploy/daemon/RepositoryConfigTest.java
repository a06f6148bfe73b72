package dev.mover.deploy.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.point.Retention;
import dev.mover.deploy.daemon.RepositoryConfig.ScrubPlan;
import dev.mover.deploy.wiring.HostPort;
import dev.mover.repository.RepositoryLimits;
import dev.mover.repository.retention.RetentionRule;
import dev.mover.repository.retention.RetentionRules;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RepositoryConfigTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void sampleHoldsEveryKeyWithItsDefault() {
    RepositoryConfig sample = RepositoryConfig.parse(RepositoryConfig.sample(), "sample");
    RepositoryConfig least = RepositoryConfig.parse("path: " + sample.path(), "least");

    assertThat(sample).isEqualTo(least);
    assertThat(RepositoryConfig.sample())
        .contains(
            "\nlisten:",
            "\nhttp:",
            "\nmaxConcurrentTasks:",
            "\nextentMaxConcurrentTasks:",
            "\nextentWriteMBps:",
            "\nextentReadMBps:",
            "\nscrubIntervalDays:",
            "\nscrubMBps:",
            "\nretention:",
            "\nstopDeadlineSeconds:");
  }

  @Test
  void readsAllKeys() throws Exception {
    Path file = folder.resolve("r.yaml");
    Files.writeString(
        file,
        """
        path: /b
        listen: '[::]:1'
        http: 0.0.0.0:2
        maxConcurrentTasks: 9
        extentMaxConcurrentTasks: 8
        extentWriteMBps: 7
        extentReadMBps: 6
        scrubIntervalDays: 5
        scrubMBps: 4
        retention:
          - machines: web-*
            keepLast: 3
          - {keepLast: 1, keepDaily: 2, keepWeekly: 4, keepMonthly: 8, keepYearly: 16}
        partialDays: 3
        stopDeadlineSeconds: 0
        """);

    assertThat(RepositoryConfig.read(file))
        .isEqualTo(
            new RepositoryConfig(
                Path.of("/b"),
                new HostPort("::", 1),
                new HostPort("0.0.0.0", 2),
                new RepositoryLimits(9, 8, 7, 6),
                new ScrubPlan(5, 4),
                new RetentionRules(
                    List.of(
                        new RetentionRule("web-*", new Retention(3, 0, 0, 0, 0)),
                        new RetentionRule("*", new Retention(1, 2, 4, 8, 16)))),
                3,
                0));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'path: /b\nlisen: a:1'       | unknown key 'lisen'; known keys: extentMaxConcurrentTasks",
        "'listen: a:1'                | needs 'path'",
        "'path: [1, 2]'               | needs 'path'",
        "'path: /b\nlisten: nowhere'  | write host:port",
        "'path: /b\nhttp: a:99999'    | write host:port",
        "'path: /b\nmaxConcurrentTasks: 0'   | takes 1 to 64",
        "'path: /b\nmaxConcurrentTasks: many'| takes 1 to 64",
        "'path: /b\nextentWriteMBps: -1'     | takes 0 to 1000000",
        "'path: /b\nextentReadMBps: 1.5'     | takes 0 to 1000000",
        "'path: /b\nextentMaxConcurrentTasks: 65'   | takes 0 to 64",
        "'path: /b\nretention: 3'            | not a list",
        "'path: /b\nretention: [{keep: 3}]'  | unknown key 'keep' in 'retention'",
        "'path: /b\nretention: [{machines: a}]' | for machines 'a' that keeps nothing",
        "'path: /b\nretention: [{machines: a*b, keepLast: 1}]' | how names begin and then *",
        "'path: /b\nretention: [{keepDaily: -1}]' | takes 0 to 1000000",
        "'path: /b\nstopDeadlineSeconds: -1' | takes 0 to 86400",
        "'path: /b\npath: /c'         | Duplicate field 'path'",
        "'path: \"'                   | is not YAML",
        "'just text'                  | must hold 'key: value' lines",
        "''                           | must hold 'key: value' lines",
      })
  void refusesByNameAndSaysWhatIsRight(String yaml, String why) {
    assertThatThrownBy(() -> RepositoryConfig.parse(yaml, "r.yaml"))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_CONFIG))
        .hasMessageContaining("r.yaml")
        .hasMessageContaining(why);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'path: /b\n  listen: a:1'     | line 2",
        "'path: /b\nlisten: [a, b\nhttp: x:1' | line 3",
        "'path: /b\n- x'              | line 2",
        "'path: \"/b\nlisten: a:1'     | line 2"
      })
  void saysInOneLineWhatIsNoYaml(String yaml, String where) {
    assertThatThrownBy(() -> RepositoryConfig.parse(yaml, "r.yaml"))
        .hasMessageContaining("configuration r.yaml is not YAML: ")
        .hasMessageContaining(where)
        .hasMessageNotContaining("\n");
  }

  @Test
  void namesAFileThatIsMissingNotTextOrTooLarge() throws Exception {
    Path binary = folder.resolve("binary");
    Files.write(binary, new byte[] {(byte) 0xff, 0, 1});
    Path large = folder.resolve("large");
    Files.write(large, new byte[70_000]);

    assertThatThrownBy(() -> RepositoryConfig.read(folder.resolve("none")))
        .hasMessageContaining("does not exist");
    assertThatThrownBy(() -> RepositoryConfig.read(binary)).hasMessageContaining("not UTF-8");
    assertThatThrownBy(() -> RepositoryConfig.read(large)).hasMessageContaining("larger than");
    assertThatThrownBy(() -> RepositoryConfig.read(folder)).hasMessageContaining("can't be read");
  }
}
