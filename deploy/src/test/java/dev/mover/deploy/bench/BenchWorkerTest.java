package dev.mover.deploy.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mover.dedup.codec.Compression;
import dev.mover.deploy.bench.Order.Bare;
import dev.mover.testkit.DiskImages;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchWorkerTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long SIZE = (20L << 20) + 513;

  @TempDir private Path folder = Path.of("");
  private final BenchWorker worker = new BenchWorker();
  private String image = "";

  @BeforeEach
  void makeImage() throws IOException {
    Path file = folder.resolve("image");
    DiskImages.create(file, SIZE, 3);
    image = file.toString();
  }

  @AfterEach
  void close() {
    worker.close();
  }

  @Test
  void backsUpOverTcpKnowsTheSecondRunAndRestores() throws IOException {
    Answer started = ask(new Order.StartRepository(path("repository"), 2));
    String address = started.text().substring(0, started.text().indexOf(' '));

    Answer first = ask(new Order.Backup(image, 1, "m", address, Compression.OPTIMAL));
    Answer second = ask(new Order.Backup(image, 1, "m", address, Compression.OPTIMAL));
    Answer restored = ask(new Order.Restore("m", address, path("restored")));
    ask(new Order.StopRepository());

    assertThat(first.sentBytes()).isPositive();
    assertThat(first.storedBytes()).isGreaterThan(first.sentBytes());
    assertThat(first.text()).contains("source").contains("target");
    assertThat(second.readBytes()).isEqualTo(first.readBytes());
    assertThat(second.sentBytes()).isZero();
    assertThat(restored.readBytes()).isPositive();
    assertThat(Files.mismatch(Path.of(image), Path.of(path("restored")))).isEqualTo(-1);
  }

  @Test
  void imageCutIntoDisksIsReadExactlyOnceAndSendsTheSame() throws IOException {
    Answer whole = ask(new Order.Backup(image, 1, "m", path("one"), Compression.OPTIMAL));
    Answer cut = ask(new Order.Backup(image, 6, "m", path("six"), Compression.OPTIMAL));

    assertThat(cut.readBytes()).isEqualTo(whole.readBytes());
    assertThat(cut.sentBytes()).isEqualTo(whole.sentBytes());
  }

  @Test
  void everyAnswerTellsTimeAndWhatTheProcessUsed() throws IOException {
    Answer loop = ask(new Order.Loop(Bare.PACK_WRITE, image, path("packed"), ""));

    assertThat(loop.ns()).isPositive();
    assertThat(loop.cpuMs()).isPositive();
    assertThat(loop.peakRssBytes()).isBetween(10L << 20, 64L << 30);
  }

  @Test
  void whatFailsIsAnsweredAndTheNextOrderIsCarriedOut() throws IOException {
    List<Answer> answers =
        serve(
            "what?",
            JSON.writeValueAsString(
                new Order.Backup("/no/such/image", 1, "m", path("r"), Compression.OPTIMAL)),
            JSON.writeValueAsString(new Order.Usage()));

    assertThat(answers.get(0).error()).contains("what?");
    assertThat(answers.get(1).error()).contains("/no/such/image");
    assertThat(answers.get(2).error()).isEmpty();
  }

  private Answer ask(Order order) throws IOException {
    Answer answer = serve(JSON.writeValueAsString(order)).getFirst();
    assertThat(answer.error()).isEmpty();
    return answer;
  }

  private List<Answer> serve(String... lines) throws IOException {
    StringWriter out = new StringWriter();
    worker.serve(
        new BufferedReader(new StringReader(String.join("\n", lines))), new PrintWriter(out));
    List<Answer> answers = new ArrayList<>();
    for (String line : out.toString().lines().toList()) {
      answers.add(JSON.readValue(line, Answer.class));
    }
    return answers;
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }
}
