package dev.mover.repository.extent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The highest number that a deleted point of a machine had, so that none is given twice: in the
 * attribute {@code user.mover.last} of the machine's folder, as decimal digits. It takes no block
 * of the file system, fits the folder's inode, and is durable with the next sync of the folder.
 * Where it can't be written or was lost in a copy, the numbers of deleted points that were the
 * newest are given again. Blocks.
 */
public final class LastSequence {
  private static final Logger LOG = LoggerFactory.getLogger(LastSequence.class);
  private static final String NAME = "mover.last";
  private static final int MOST_DIGITS = 19;

  private LastSequence() {}

  /** 0 when it isn't known. */
  public static long of(Path folder) {
    try {
      UserDefinedFileAttributeView attributes = attributes(folder);
      if (!attributes.list().contains(NAME) || attributes.size(NAME) > MOST_DIGITS) {
        return 0;
      }
      ByteBuffer digits = ByteBuffer.allocate(MOST_DIGITS);
      attributes.read(NAME, digits);
      String text = StandardCharsets.US_ASCII.decode(digits.flip()).toString();
      return Math.max(0, Long.parseLong(text));
    } catch (IOException | NumberFormatException e) {
      LOG.debug("{}: the last number can't be told: {}", folder, e.getMessage());
      return 0;
    }
  }

  /** A point of this number is about to be deleted. */
  public static void raise(Path folder, long sequence) {
    if (sequence <= of(folder)) {
      return;
    }
    try {
      byte[] digits = Long.toString(sequence).getBytes(StandardCharsets.US_ASCII);
      attributes(folder).write(NAME, ByteBuffer.wrap(digits));
    } catch (IOException e) {
      LOG.info("{}: the number {} may be given again: {}", folder, sequence, e.getMessage());
    }
  }

  private static UserDefinedFileAttributeView attributes(Path folder) throws IOException {
    UserDefinedFileAttributeView view =
        Files.getFileAttributeView(folder, UserDefinedFileAttributeView.class);
    if (view == null) {
      throw new IOException("the file system has no attributes");
    }
    return view;
  }
}
