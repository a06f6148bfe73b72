package dev.mover.repository;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** What others write to a file system until not a byte is left. */
final class Ballast {
  private Ballast() {}

  /** Fills it to the last block, and with names until there is no room for another. */
  static List<Path> fill(Path folder) throws IOException {
    List<Path> files = new ArrayList<>();
    for (int bytes : new int[] {4 << 20, 64 << 10, 4096}) {
      boolean more = true;
      while (more) {
        Path file = folder.resolve("ballast-" + files.size());
        long written = write(file, bytes);
        files.add(file);
        more = written > 0;
      }
    }
    return files;
  }

  /** Names without content in {@code folder}, until there is no room for another, or very many. */
  static List<Path> names(Path folder) throws IOException {
    List<Path> files = new ArrayList<>();
    try {
      while (files.size() < 300) {
        files.add(Files.createFile(folder.resolve("ballast-%050d".formatted(files.size()))));
      }
    } catch (FileSystemException e) {
      return files;
    }
    return files;
  }

  /** Writes until it can't; how many bytes there was room for. */
  private static long write(Path file, int pieceBytes) throws IOException {
    long written = 0;
    try (FileChannel out =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      ByteBuffer piece = ByteBuffer.allocate(pieceBytes);
      while (true) {
        written += out.write(piece.clear());
        out.force(false);
      }
    } catch (FileSystemException e) {
      return 0; // not even the name
    } catch (IOException e) {
      return written;
    }
  }
}
