package dev.mover.deploy.text;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Texts that come with the jar. */
public final class PackagedText {
  private PackagedText() {}

  /** The whole of one, by its name below the jar's root. */
  public static String read(String name) {
    try (InputStream in =
        Objects.requireNonNull(PackagedText.class.getResourceAsStream("/" + name), "packaged")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
