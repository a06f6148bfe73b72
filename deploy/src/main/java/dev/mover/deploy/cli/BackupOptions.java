package dev.mover.deploy.cli;

import dev.mover.api.block.BlockSize;
import dev.mover.api.point.Name;
import dev.mover.dedup.codec.Compression;
import picocli.CommandLine.Option;

/** What a backup is of and how it is made, whoever runs it. */
final class BackupOptions {
  @Option(
      names = "--machine",
      required = true,
      paramLabel = "NAME",
      converter = Choices.OfName.class,
      description = "Whose disks these are; its points form one series.")
  private Name machine = new Name("unset");

  @Option(
      names = "--block-size",
      paramLabel = "SIZE",
      converter = Choices.OfBlockSize.class,
      description = {
        "256K, 512K, 1M or 4M (default: 1M).",
        "Smaller finds more that is known, larger costs less to keep track of."
      })
  private BlockSize blockSize = BlockSize.DEFAULT;

  @Option(
      names = "--compression",
      paramLabel = "HOW",
      converter = Choices.OfCompression.class,
      description = "none, fast, optimal, high or extreme (default: optimal).")
  private Compression compression = Compression.OPTIMAL;

  @Option(
      names = "--raw",
      description =
          "The files' bytes are meant as they are: no warning for qcow2, VMDK, VHDX or VDI.")
  private boolean raw;

  Name machine() {
    return machine;
  }

  BlockSize blockSize() {
    return blockSize;
  }

  Compression compression() {
    return compression;
  }

  boolean raw() {
    return raw;
  }
}
