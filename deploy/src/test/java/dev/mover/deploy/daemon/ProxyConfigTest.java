package dev.mover.deploy.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.deploy.wiring.HostPort;
import dev.mover.proxy.LinkRule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.LocalTime;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProxyConfigTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void sampleHoldsEveryKeyWithItsDefault() {
    ProxyConfig sample = ProxyConfig.parse(ProxyConfig.sample(), "sample");
    ProxyConfig least = ProxyConfig.parse("stateDir: " + sample.stateDir(), "least");

    assertThat(sample).isEqualTo(least);
    for (String key : ProxyConfig.KEYS) {
      assertThat(ProxyConfig.sample()).contains("\n" + key + ":");
    }
  }

  @Test
  void readsAllKeys() throws Exception {
    Path file = folder.resolve("p.yaml");
    Files.writeString(
        file,
        """
        http: '[::1]:1'
        stateDir: /s
        maxConcurrentTasks: 9
        maxConcurrentJobs: 2
        workers: 3
        linkMBps: 100
        linkLimits:
          - {from: "08:00", to: "18:30", days: [mon, fri], linkMBps: 50}
          - {address: "mover://far", from: "22:00", to: "06:00", linkMBps: 200}
          - {linkMBps: 300}
        stopDeadlineSeconds: 5
        """);
    assertThat(ProxyConfig.read(file))
        .isEqualTo(
            new ProxyConfig(
                new HostPort("::1", 1),
                Path.of("/s"),
                9,
                2,
                3,
                100,
                List.of(
                    new LinkRule(
                        "*",
                        LocalTime.of(8, 0),
                        LocalTime.of(18, 30),
                        Set.of(DayOfWeek.MONDAY, DayOfWeek.FRIDAY),
                        50),
                    new LinkRule(
                        "mover://far:7700",
                        LocalTime.of(22, 0),
                        LocalTime.of(6, 0),
                        EnumSet.allOf(DayOfWeek.class),
                        200),
                    LinkRule.always("*", 300)),
                5));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'stateDir: /s\nwork: 1'                    | unknown key 'work'; known keys: http, linkLimits",
        "'http: a:1'                                | needs 'stateDir'",
        "'stateDir: /s\nhttp: nowhere'              | write host:port",
        "'stateDir: /s\nmaxConcurrentTasks: 65'     | takes 1 to 64",
        "'stateDir: /s\nmaxConcurrentJobs: 0'       | takes 1 to 64",
        "'stateDir: /s\nworkers: all'               | takes 0 to 256",
        "'stateDir: /s\nlinkMBps: -1'               | takes 0 to",
        "'stateDir: /s\nstopDeadlineSeconds: [1]'   | takes 0 to",
        "'stateDir: /s\nlinkLimits: 5'              | not a list",
        "'stateDir: /s\nlinkLimits: [5]'            | lines in 'linkLimits'",
        "'stateDir: /s\nlinkLimits: [{from: a}]'    | needs 'linkMBps'",
        "'stateDir: /s\nlinkLimits: [{linkMBps: 1, from: 8}]'  | write a time of day",
        "'stateDir: /s\nlinkLimits: [{linkMBps: 1, address: far}]' | write mover://host:port",
        "'stateDir: /s\nlinkLimits: [{linkMBps: 1, rate: 8}]'  | unknown key 'rate' in 'linkLimits'",
        "'stateDir: /s\nlinkLimits: [{linkMBps: 1, from: \"08:00\", to: \"09:00\", days: [so]}]' | the day 'so'",
        "'stateDir: /s\nlinkLimits: [{linkMBps: 1, from: \"08:00\", to: \"09:00\", days: []}]' | name none",
        "'stateDir: /s\nstateDir: /t'               | Duplicate field 'stateDir'",
        "'just text'                                | must hold 'key: value' lines",
        "''                                         | must hold 'key: value' lines",
      })
  void refusesByNameAndSaysWhatIsRight(String yaml, String why) {
    assertThatThrownBy(() -> ProxyConfig.parse(yaml, "p.yaml"))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_CONFIG))
        .hasMessageContaining("p.yaml")
        .hasMessageContaining(why);
  }

  @Test
  void namesAFileThatIsMissingNotTextOrTooLarge() throws Exception {
    Path binary = Files.write(folder.resolve("binary"), new byte[] {(byte) 0xff, 0, 1});
    Path large = Files.write(folder.resolve("large"), new byte[70_000]);

    assertThatThrownBy(() -> ProxyConfig.read(folder.resolve("none")))
        .hasMessageContaining("does not exist; 'mover proxy --print-config' shows one");
    assertThatThrownBy(() -> ProxyConfig.read(binary)).hasMessageContaining("not UTF-8");
    assertThatThrownBy(() -> ProxyConfig.read(large)).hasMessageContaining("larger than");
    assertThatThrownBy(() -> ProxyConfig.read(folder)).hasMessageContaining("can't be read");
  }
}
