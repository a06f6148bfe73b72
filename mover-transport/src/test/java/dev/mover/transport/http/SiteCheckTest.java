package dev.mover.transport.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A browser near the daemon can't be made to talk to it by somebody else's page. */
class SiteCheckTest {
  private final HttpEndpoint endpoint =
      HttpEndpoint.bind(
          "127.0.0.1", 0, HttpRoutes.none().get("/health", _ -> HttpReply.text(200, "well")));

  @AfterEach
  void close() {
    endpoint.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host: localhost",
        "Host: LOCALHOST:7702",
        "Host: 127.0.0.1",
        "Host: 192.0.2.7:80",
        "Host: [::1]:7702",
        "Host: localhost:7702\r\nOrigin: http://localhost:7702",
        "Host: localhost:7702\r\nOrigin: https://LocalHost:7702"
      })
  void answersItsOwnNamesAndPages(String headers) throws Exception {
    assertThat(ask(headers)).contains(" 200 ").endsWith("well");
  }

  @Test
  void answersTheNameOfItsHost() throws Exception {
    assertThat(ask("Host: " + InetAddress.getLocalHost().getHostName() + ":7702"))
        .contains(" 200 ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host: evil.example",
        "Host: evil.example:7702",
        "Host: localhost.evil.example",
        "Host: 127.0.0.1.evil.example",
        "Host: [evil.example]",
        "Host: ",
        "Host: localhost\r\nHost: evil.example",
        "Host: localhost:7702\r\nOrigin: http://evil.example",
        "Host: localhost:7702\r\nOrigin: http://localhost:7702.evil.example",
        "Host: localhost:7702\r\nOrigin: http://localhost:8080",
        "Host: localhost:7702\r\nOrigin: null",
        "Host: localhost:7702\r\nOrigin: http://localhost:7702\r\nOrigin: http://evil.example"
      })
  void refusesForeignNamesAndPages(String headers) throws Exception {
    assertThat(ask(headers))
        .doesNotContain(" 200 ")
        .containsPattern(" 40[03] ")
        .satisfiesAnyOf(
            reply -> assertThat(reply).contains("\"code\":107,\"name\":\"FOREIGN_REQUEST\""),
            reply -> assertThat(reply).contains(" 400 ")); // not even HTTP
  }

  @Test
  void saysTheWayOut() throws Exception {
    assertThat(ask("Host: backup.example.org:7702"))
        .contains(" 403 ")
        .contains("does not go by the name 'backup.example.org:7702'; call it by its address");
  }

  private String ask(String headers) throws Exception {
    try (RawHttp raw = new RawHttp(endpoint.address())) {
      raw.say("GET /health HTTP/1.1\r\n" + headers + "\r\nConnection: close\r\n\r\n");
      return raw.hearOut();
    }
  }
}
