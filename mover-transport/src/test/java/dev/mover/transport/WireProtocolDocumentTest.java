package dev.mover.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.FrameType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The document says of every frame what the code does. */
class WireProtocolDocumentTest {
  private static final Path DOCUMENT = Path.of("../docs/wire-protocol.md");

  @ParameterizedTest
  @EnumSource(FrameType.class)
  void listsEveryTypeWithItsNumberAndLimit(FrameType type) throws IOException {
    List<String> rows =
        Files.readAllLines(DOCUMENT).stream()
            .filter(line -> line.startsWith("| 0x%02x | %s | ".formatted(type.number(), type)))
            .toList();
    assertThat(rows).hasSize(1);
    String[] cells = rows.getFirst().split(" \\| ", -1);
    String limit = cells[cells.length - 1].replace(" |", "").replace(",", "");
    assertThat(limit).isEqualTo(String.format(Locale.ROOT, "%d", type.maxPayload()));
  }

  @ParameterizedTest
  @EnumSource(FrameType.class)
  void agreesThatNoControlFramePassesTheLimit(FrameType type) {
    assertThat(type.isBulk() || type.maxPayload() <= Frame.MAX_PAYLOAD).isTrue();
  }
}
