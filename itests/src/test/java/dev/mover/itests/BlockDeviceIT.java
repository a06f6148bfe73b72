package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.testkit.DiskImages;
import dev.mover.testkit.LoopDevice;
import dev.mover.testkit.LoopMount;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Block devices as source and as target. */
class BlockDeviceIT {
  private static final int BYTES = 24 << 20;

  @TempDir private Path folder = Path.of("");

  private String repository() {
    return folder.resolve("repository").toString();
  }

  private static void write(Path device, Path image) throws IOException {
    Files.write(
        device, Files.readAllBytes(image), StandardOpenOption.WRITE, StandardOpenOption.SYNC);
  }

  private static void holds(Path device, byte[] content) throws IOException {
    try (InputStream in = Files.newInputStream(device)) {
      assertThat(Arrays.mismatch(in.readNBytes(content.length), content)).isEqualTo(-1);
    }
  }

  @Test
  void deviceGoesInAndComesBackOnAUsedLargerDevice() throws Exception {
    Path image = folder.resolve("image");
    DiskImages.create(image, BYTES, 1);
    Path garbage = folder.resolve("garbage");
    Files.write(garbage, DiskImages.bytes(BYTES, 99));
    try (LoopDevice source = LoopDevice.orSkip(BYTES);
        LoopDevice target = LoopDevice.orSkip(BYTES + (1 << 20))) {
      write(source.device(), image);
      write(target.device(), garbage);
      Mover.run("backup", "root=" + source.device(), "--machine", "web", "--to", repository()).ok();
      Mover.run("restore", "--machine", "web", "--from", repository(), target.device().toString())
          .ok();

      holds(target.device(), Files.readAllBytes(image));
    }
  }

  @Test
  void sectorsOf4096BytesWork() throws Exception {
    Path image = folder.resolve("image");
    DiskImages.create(image, BYTES, 2);
    try (LoopDevice source = LoopDevice.orSkip(BYTES, 4096);
        LoopDevice target = LoopDevice.orSkip(BYTES, 4096)) {
      write(source.device(), image);
      Mover.run("backup", "d=" + source.device(), "--machine", "m", "--to", repository()).ok();
      Mover.run("restore", "--machine", "m", "--from", repository(), target.device().toString())
          .ok();

      holds(target.device(), Files.readAllBytes(image));
    }
  }

  @Test
  void aDiskThatFailsIsNamedMakesNoPointAndLeavesWhatTheOthersSent() throws Exception {
    Path good = folder.resolve("good.img");
    DiskImages.create(good, BYTES, 1);
    try (LoopDevice bad = LoopDevice.orSkip(BYTES)) {
      Files.write(
          bad.device(),
          DiskImages.bytes(BYTES, 7),
          StandardOpenOption.WRITE,
          StandardOpenOption.SYNC);
      bad.loseFrom(BYTES / 2);
      String[] backup = {
        "backup",
        "root=" + good,
        "data=" + bad.device(),
        "--machine=web",
        "--slots=1", // the good one is done by then
        "--to",
        repository()
      };
      Mover.Result failed = Mover.json(backup);
      assertThat(failed.exit()).isEqualTo(2);
      assertThat(failed.error()).isEqualTo("SOURCE_READ_FAILED");
      assertThat(failed.json().path("error").path("message").asText())
          .contains(bad.device().toString());
      assertThat(Mover.json("points", "--from", repository()).ok().jsonLines()).isEmpty();
      assertThat(Mover.json("partials", "--from", repository()).ok().jsonLines()).hasSize(1);

      bad.giveBack(BYTES);
      assertThat(Mover.json(backup).ok().json().path("knownBytes").asLong())
          .isGreaterThan(BYTES / 4);
      Path target = folder.resolve("restored");
      Mover.run(
              "restore", "--machine=web", "--disk=root", "--from", repository(), target.toString())
          .ok();
      assertThat(Files.mismatch(target, good)).isEqualTo(-1);
    }
  }

  @Test
  void targetTooSmallOrInUseIsRefusedBeforeTheFirstWrite() throws Exception {
    Path image = folder.resolve("image");
    DiskImages.create(image, BYTES, 3);
    Mover.run("backup", image.toString(), "--machine", "m", "--to", repository()).ok();
    try (LoopDevice small = LoopDevice.orSkip(BYTES - 4096);
        LoopMount used = LoopMount.orSkip(LoopMount.Kind.EXT4, 64 << 20)) {
      Mover.Result tooSmall =
          Mover.json(
              "restore", "--machine", "m", "--from", repository(), small.device().toString());
      assertThat(tooSmall.exit()).isEqualTo(2);
      assertThat(tooSmall.error()).isEqualTo("TARGET_TOO_SMALL");
      holds(small.device(), new byte[BYTES - 4096]);

      Mover.Result busy =
          Mover.json("restore", "--machine", "m", "--from", repository(), used.device().toString());
      assertThat(busy.exit()).isEqualTo(2);
      assertThat(busy.error()).isEqualTo("TARGET_BUSY");
    }
  }
}
