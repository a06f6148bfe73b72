package dev.mover.proxy.source;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * Formats that hold a disk inside, told by their first bytes. Whoever names one of them as a disk
 * most likely means the disk in it, but gets its file.
 */
enum ImageFormat {
  QCOW2("qcow2", 0, "QFI\u00fb"),
  VMDK("VMDK", 0, "KDMV"),
  VMDK_OF_ESX("VMDK", 0, "COWD"),
  VMDK_DESCRIPTOR("VMDK", 0, "# Disk DescriptorFile"),
  VHDX("VHDX", 0, "vhdxfile"),
  VHD("VHD", 0, "conectix"),
  VDI("VDI", 64, "\u007f\u0010\u00da\u00be");

  private static final int LOOK_BYTES = 128;

  private final String label;
  private final int offset;

  /** One character a byte. */
  private final String magic;

  ImageFormat(String label, int offset, String magic) {
    this.label = label;
    this.offset = offset;
    this.magic = magic;
  }

  String label() {
    return label;
  }

  /** The format of what lies there; empty for a raw disk, and when it can't be read. */
  static Optional<ImageFormat> of(Path path) {
    try (InputStream in = Files.newInputStream(path)) {
      String head = new String(in.readNBytes(LOOK_BYTES), StandardCharsets.ISO_8859_1);
      return Arrays.stream(values()).filter(f -> head.startsWith(f.magic, f.offset)).findFirst();
    } catch (IOException e) {
      return Optional.empty(); // the backup's own reads will say so
    }
  }
}
