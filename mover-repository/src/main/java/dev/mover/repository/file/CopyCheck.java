package dev.mover.repository.file;

import dev.mover.api.block.BlockId;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Reads everything a backup file has twice, both times: a reader is content with one good copy, a
 * verification wants to know of the other. One thread; blocks.
 */
public final class CopyCheck {
  private static final int WINDOW_PAGES = 64;

  private final BackupFile file;

  public CopyCheck(BackupFile file) {
    this.file = file;
  }

  /** What is damaged in superblock, footer or either copy of the metadata, one sentence each. */
  public List<String> findings() {
    List<String> findings = new ArrayList<>(file.findings());
    if (!isSuperblockSound()) {
      findings.add(file.path() + ": the superblock is damaged");
    }
    Footer footer = file.footer();
    check(1, footer.metadata1(), findings);
    check(2, footer.metadata2(), findings);
    return findings;
  }

  private boolean isSuperblockSound() {
    try {
      return BackupFile.superblock(file.file(), file.pool())
          .filter(s -> s.fileId().equals(file.footer().fileId()))
          .isPresent();
    } catch (IOException e) {
      return false;
    }
  }

  private void check(int copy, long offset, List<String> findings) {
    try (BufferSet set = file.pool().lease(WINDOW_PAGES * Page.BYTES, 1, () -> {})) {
      BlockBuffer buffer = Objects.requireNonNull(set.tryTake(), "a fresh lease has buffers");
      try {
        look(copy, buffer, offset).ifPresent(findings::add);
      } catch (IOException e) {
        findings.add(
            "%s: metadata copy %d can't be read: %s".formatted(file.path(), copy, e.getMessage()));
      } finally {
        buffer.release();
      }
    }
  }

  private Optional<String> look(int copy, BlockBuffer buffer, long offset) throws IOException {
    MessageDigest sha = sha256();
    long firstBad = -1;
    long bad = 0;
    long left = file.footer().metadataBytes();
    long at = offset;
    while (left > 0) {
      int length = (int) Math.min(left, (long) WINDOW_PAGES * Page.BYTES);
      ByteBuffer window = buffer.bytes(0, length);
      file.file().read(window, at);
      for (int page = 0; page < length; page += Page.BYTES) {
        if (!Page.isSound(buffer.bytes(page, Page.BYTES))) {
          firstBad = bad == 0 ? (at - offset + page) / Page.BYTES : firstBad;
          bad++;
        }
      }
      sha.update(window.flip());
      at += length;
      left -= length;
    }
    boolean sound = BlockId.of(sha.digest()).equals(file.footer().metadataSha());
    if (sound) {
      return Optional.empty();
    }
    String where =
        bad == 0
            ? "it is not the footer's"
            : "%d of %d pages, the first is page %d"
                .formatted(bad, file.footer().metadataBytes() / Page.BYTES, firstBad);
    return Optional.of("%s: metadata copy %d is damaged: %s".formatted(file.path(), copy, where));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
