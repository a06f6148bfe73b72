package dev.mover.deploy.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {
  @Test
  void readsNamesAddressesAndIpv6() {
    assertThat(HostPort.parse("backup.example.org:7700"))
        .contains(new HostPort("backup.example.org", 7700));
    assertThat(HostPort.parse("127.0.0.1:0")).contains(new HostPort("127.0.0.1", 0));
    assertThat(HostPort.parse("[::1]:65535")).contains(new HostPort("::1", 65_535));
    assertThat(HostPort.parse("[fe80::1%eth0]:1")).contains(new HostPort("fe80::1%eth0", 1));
  }

  @Test
  void writesWhatItReads() {
    assertThat(new HostPort("::1", 7700)).hasToString("[::1]:7700");
    assertThat(new HostPort("localhost", 7700)).hasToString("localhost:7700");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "host", "host:", ":7700", "::1:7700", "[::1]", "h:65536", "h:x", "a b:1"})
  void refusesAnythingElse(String text) {
    assertThat(HostPort.parse(text)).isEmpty();
  }
}
