package dev.mover.repository.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.Codec;
import dev.mover.api.block.Envelope;
import dev.mover.api.block.SessionKey;
import dev.mover.api.block.WrappedKey;
import dev.mover.api.error.DataException;
import dev.mover.api.point.Name;
import dev.mover.testkit.Seeds;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Golden bytes: made from docs/backup-file.md by other means than this code. */
class FormatTest {
  private static final UUID FILE = UUID.fromString("10111213-1415-1617-1819-1a1b1c1d1e1f");
  private static final UUID SESSION = UUID.fromString("20212223-2425-2627-2829-2a2b2c2d2e2f");
  private static final BlockId ID =
      BlockId.of(
          HexFormat.of()
              .parseHex("a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf"));
  private static final Name MACHINE = new Name("wéb");

  private static final SlotHeader SLOT =
      new SlotHeader(Codec.ZSTD, FILE, 5, ID, 1 << 20, 700_000, 0xCAFEBABE, Envelope.NONE);
  private static final Superblock SUPERBLOCK =
      new Superblock(
          MACHINE,
          FILE,
          SESSION,
          BlockSize.MIB_1,
          4096,
          Instant.ofEpochMilli(1_800_000_000_123L),
          null);
  private static final Footer FOOTER =
      new Footer(
          MACHINE,
          FILE,
          SESSION,
          7,
          Instant.ofEpochMilli(1_800_000_000_456L),
          BlockSize.MIB_1,
          4096,
          8192,
          24576,
          16384,
          ID,
          2,
          1,
          3,
          1,
          1,
          45056,
          4096,
          12288,
          0,
          SessionKey.NO_DOMAIN);

  @Test
  void slotHeaderIsThese128Bytes() {
    ByteBuffer out = ByteBuffer.allocate(SlotHeader.BYTES);
    SLOT.write(out);
    assertThat(HexFormat.of().formatHex(out.array()))
        .isEqualTo(
            "4d534c5401010000101112131415161718191a1b1c1d1e1f0000000000000005"
                + "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf"
                + "00000000000000000000000000000000"
                + "00100000000aae60cafebabe"
                + "0000000000000000000000000000000000000000000000000000000000000000"
                + "a163a302");
    assertThat(SlotHeader.read(out, "here")).isEqualTo(SLOT);
  }

  @Test
  void superblockIsTheseBytes() {
    ByteBuffer out = dirtyPage();
    SUPERBLOCK.write(out);
    assertThat(hex(out, 0, 72))
        .isEqualTo(
            "4d56524241434b310000000100100000101112131415161718191a1b1c1d1e1f"
                + "202122232425262728292a2b2c2d2e2f0000100000000000000001a3185c507b"
                + "000477c3a9620000");
    assertThat(hex(out, 72, 2044 - 72)).containsOnlyOnce("00".repeat(2044 - 72));
    assertThat(hex(out, 2044, 4)).isEqualTo("02c41c99");
    assertThat(Superblock.read(out)).contains(SUPERBLOCK);
  }

  @Test
  void footerIsTheseBytes() {
    ByteBuffer out = dirtyPage();
    FOOTER.write(out, 2048);
    assertThat(hex(out, 2048, 184))
        .isEqualTo(
            "4d5652464f4f54310000000100100000101112131415161718191a1b1c1d1e1f"
                + "202122232425262728292a2b2c2d2e2f0000000000000007000001a3185c51c8"
                + "000000000000200000000000000060000000000000004000"
                + "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf"
                + "00000002000000010000000300000001000000000000000100000000"
                + "0000b000000000000000100000000000000030000000100000000000"
                + "000477c3a9620000");
    assertThat(hex(out, 2048 + 1020, 4)).isEqualTo("3a6b16cb");
    assertThat(Footer.read(out, 2048)).contains(FOOTER);
  }

  @Test
  void mapPageIsTheseBytes() {
    ByteBuffer page = ByteBuffer.allocate(Page.BYTES);
    ByteBuffer entries = page.duplicate().position(Page.HEADER_BYTES);
    MapEntry hole = new MapEntry.Zeros(1L << 41);
    MapEntry slot = new MapEntry.Slot(2, 700_128, 1L << 33, ID, 0);
    hole.write(entries);
    slot.write(entries);
    Page.seal(page, 0, 2, 3, 1000);
    assertThat(hex(page, 0, 4 + 12 + 96))
        .isEqualTo(
            "c7b256ee0002000300000000000003e8"
                + "00000000000000000000020000000000"
                + "0000000000000000000000000000000000000000000000000000000000000000"
                + "01000002000aaee00000000200000000"
                + "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf");
    assertThat(Page.isSound(page)).isTrue();
    ByteBuffer in = page.duplicate().position(Page.HEADER_BYTES);
    assertThat(MapEntry.read(in)).isEqualTo(hole);
    assertThat(MapEntry.read(in)).isEqualTo(slot);
  }

  private static final UUID KEY = UUID.fromString("30313233-3435-3637-3839-3a3b3c3d3e3f");
  private static final UUID DOMAIN = UUID.fromString("40414243-4445-4647-4849-4a4b4c4d4e4f");
  private static final String KEY_HEX = "303132333435363738393a3b3c3d3e3f";
  private static final String DOMAIN_HEX = "404142434445464748494a4b4c4d4e4f";

  @Test
  void headerOfAnEncryptedSlotIsThese128Bytes() {
    SlotHeader header =
        new SlotHeader(
            Codec.ZSTD,
            FILE,
            5,
            ID,
            1 << 20,
            700_000,
            0xCAFEBABE,
            new Envelope(
                0x0102,
                KEY,
                0x5051525354555657L,
                0x58595a5b5c5d5e5fL,
                0x6061626364656667L,
                0x68696a6b6c6d6e6fL));
    ByteBuffer out = ByteBuffer.allocate(SlotHeader.BYTES);
    header.write(out);
    assertThat(HexFormat.of().formatHex(out.array()))
        .isEqualTo(
            "4d534c5401010102101112131415161718191a1b1c1d1e1f0000000000000005"
                + "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf"
                + KEY_HEX
                + "00100000000aae60cafebabe"
                + "505152535455565758595a5b5c5d5e5f"
                + "606162636465666768696a6b6c6d6e6f"
                + "8014ef65");
    assertThat(SlotHeader.read(out, "here")).isEqualTo(header);
  }

  @Test
  void encryptedFilesNameDomainAndKeys() {
    SessionKey own = new SessionKey(DOMAIN, new WrappedKey(KEY, new byte[] {1, 2, 3}));
    Superblock head =
        new Superblock(MACHINE, FILE, SESSION, BlockSize.MIB_1, 4096, SUPERBLOCK.openedAt(), own);
    ByteBuffer out = dirtyPage();
    head.write(out);
    assertThat(hex(out, 512, 16 + 16 + 5)).isEqualTo(DOMAIN_HEX + KEY_HEX + "0003010203");
    assertThat(hex(out, 2044, 4)).isEqualTo("bdd5fcdb");
    assertThat(Superblock.read(out)).contains(head);

    Footer f = FOOTER;
    Footer footer =
        new Footer(
            f.machine(),
            f.fileId(),
            f.sessionId(),
            f.sequence(),
            f.createdAt(),
            f.blockSize(),
            f.slotAlignment(),
            f.metadata1(),
            f.metadata2(),
            f.metadataBytes(),
            f.metadataSha(),
            f.disks(),
            f.diskPages(),
            f.files(),
            f.filePages(),
            f.rangePages(),
            f.fileBytes(),
            f.newBytes(),
            f.linkedBytes(),
            5,
            DOMAIN);
    footer.write(out, 2048);
    assertThat(hex(out, 2048 + 172, 4)).isEqualTo("00000005");
    assertThat(hex(out, 2048 + 1004, 16)).isEqualTo(DOMAIN_HEX);
    assertThat(hex(out, 2048 + 1020, 4)).isEqualTo("cdb3ab9f");
    assertThat(Footer.read(out, 2048)).contains(footer);
  }

  @Test
  void mapEntryOfAnEncryptedSlotIsThese48Bytes() {
    ByteBuffer out = ByteBuffer.allocate(MapEntry.BYTES);
    MapEntry slot = new MapEntry.Slot(2, 700_128, 1L << 33, ID, 0x0304);
    slot.write(out);
    assertThat(HexFormat.of().formatHex(out.array()))
        .isEqualTo(
            "01030002040aaee00000000200000000"
                + "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf");
    assertThat(MapEntry.read(out.flip())).isEqualTo(slot);
  }

  @Test
  void noFlippedBitGoesUnseen() {
    ByteBuffer slot = ByteBuffer.allocate(SlotHeader.BYTES);
    SLOT.write(slot);
    ByteBuffer head = ByteBuffer.allocate(Page.BYTES);
    SUPERBLOCK.write(head);
    FOOTER.write(head, Superblock.FOOTER_AT);
    Seeds.check(
        300,
        random -> {
          byte[] badSlot = slot.array().clone();
          flip(badSlot, random.nextInt(badSlot.length * 8));
          assertThatThrownBy(() -> SlotHeader.read(ByteBuffer.wrap(badSlot), "here"))
              .isInstanceOf(DataException.class);
          byte[] bad = head.array().clone();
          flip(bad, random.nextInt(2048 * 8));
          assertThat(Superblock.read(ByteBuffer.wrap(bad))).isEmpty();
          flip(bad, 2048 * 8 + random.nextInt(1024 * 8));
          assertThat(Footer.read(ByteBuffer.wrap(bad), Superblock.FOOTER_AT)).isEmpty();
        });
  }

  private static void flip(byte[] bytes, int bit) {
    bytes[bit / 8] ^= (byte) (1 << bit % 8);
  }

  private static ByteBuffer dirtyPage() {
    byte[] page = new byte[Page.BYTES];
    Arrays.fill(page, (byte) 0x55);
    return ByteBuffer.wrap(page);
  }

  private static String hex(ByteBuffer bytes, int from, int length) {
    byte[] out = new byte[length];
    bytes.get(from, out);
    return HexFormat.of().formatHex(out);
  }
}
