package dev.mover.deploy.cli;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.MoverException;
import dev.mover.api.point.Name;
import dev.mover.dedup.codec.Compression;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Words of the command line that stand for values, each with what may be said instead. */
final class Choices {
  /** What {@code --point} says for the newest one; 0 on the wire. */
  static final String LATEST = "latest";

  private Choices() {}

  static final class OfName implements ITypeConverter<Name> {
    @Override
    public Name convert(String text) {
      try {
        return new Name(text);
      } catch (MoverException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }

  static final class OfBlockSize implements ITypeConverter<BlockSize> {
    @Override
    public BlockSize convert(String text) {
      return Arrays.stream(BlockSize.values())
          .filter(size -> size.label().equalsIgnoreCase(text))
          .findFirst()
          .orElseThrow(
              () -> unknown(text, Arrays.stream(BlockSize.values()).map(BlockSize::label)));
    }
  }

  static final class OfCompression implements ITypeConverter<Compression> {
    @Override
    public Compression convert(String text) {
      return Compression.named(text)
          .orElseThrow(
              () ->
                  unknown(
                      text,
                      Arrays.stream(Compression.values())
                          .map(c -> c.name().toLowerCase(Locale.ROOT))));
    }
  }

  /** A sequence number from 1, or {@value #LATEST}. */
  static final class OfPoint implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      return text.equalsIgnoreCase(LATEST) ? 0L : sequence(text, " or '" + LATEST + "'");
    }
  }

  /** A sequence number from 1. */
  static final class OfSequence implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      return sequence(text, "");
    }
  }

  private static long sequence(String text, String otherwise) {
    try {
      long sequence = Long.parseLong(text);
      if (sequence > 0) {
        return sequence;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new TypeConversionException(
        "'%s' is not a point: give its number from 1 (see 'mover points')%s"
            .formatted(text, otherwise));
  }

  private static TypeConversionException unknown(String text, Stream<String> known) {
    List<String> names = known.toList();
    return new TypeConversionException(
        "'%s' is not one of %s".formatted(text, String.join(", ", names)));
  }
}
