package dev.mover.transport.frame;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.Codec;
import dev.mover.api.block.Envelope;
import dev.mover.api.block.SessionKey;
import dev.mover.api.block.WrappedKey;
import dev.mover.api.error.Side;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.api.point.Partial;
import dev.mover.api.point.Removal;
import dev.mover.api.point.RemovalMode;
import dev.mover.api.point.RestorePoint;
import dev.mover.api.point.Retention;
import dev.mover.api.point.Verdict;
import dev.mover.transport.frame.MapPart.MapRun;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;

/**
 * Every frame as it stands on the wire, made by hand from docs/wire-protocol.md and not by the
 * codecs. A byte that changes here is a new protocol version.
 */
final class GoldenFrames {
  private static final UUID U = UUID.fromString("00010203-0405-0607-0809-0a0b0c0d0e0f");
  private static final UUID V = UUID.fromString("10111213-1415-1617-1819-1a1b1c1d1e1f");
  private static final DiskSpec SDA = new DiskSpec(new Name("sda"), 513, 512);
  private static final RestorePoint POINT =
      new RestorePoint(
          new Name("db é"),
          9,
          U,
          V,
          Instant.ofEpochSecond(1_700_000_000, 5),
          BlockSize.MIB_1,
          List.of(new RestorePoint.Disk(SDA, id(7), id(8))),
          4096,
          2048,
          Instant.ofEpochSecond(1_700_000_900),
          V);

  private GoldenFrames() {}

  /** A control frame and its bytes, header included. */
  record Golden(FrameType type, Frame frame, String hex) {
    ByteBuffer bytes() {
      return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    }

    @Override
    public String toString() {
      return frame.toString();
    }
  }

  /** A bulk header and its bytes, frame header included. */
  record GoldenBulk(BulkHeader header, String hex) {
    ByteBuffer bytes() {
      return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    }
  }

  static List<Golden> control() {
    return List.of(
        golden(
            FrameType.HELLO,
            new Hello(1, 2, "mover 0.1.0"),
            "00000019010000004d4f56455244503100010002000b6d6f76657220302e312e" + "30"),
        golden(
            FrameType.WELCOME,
            new Welcome(1, "mover 0.1.0", U, "cloning (xfs, 4096)"),
            "0000003c020000004d4f5645524450310001000102030405060708090a0b0c0d"
                + "0e0f000b6d6f76657220302e312e300013636c6f6e696e6720287866732c2034"
                + "30393629"),
        golden(
            FrameType.ERROR,
            new ErrorFrame(303, Side.REPOSITORY, "no room"),
            "0000000c03000000012f0300076e6f20726f6f6d"),
        golden(FrameType.PING, new Ping(-1), "0000000804000000ffffffffffffffff"),
        golden(FrameType.PONG, new Pong(258), "00000008050000000000000000000102"),
        golden(FrameType.BYE, new Bye(), "0000000006000000"),
        golden(
            FrameType.OPEN,
            new Open(
                U,
                new Name("db é"),
                BlockSize.KIB_256,
                List.of(SDA, new DiskSpec(new Name("sdb"), 0, 4096))),
            "0000003c10000000000102030405060708090a0b0c0d0e0f0004000000056462"
                + "20c3a90002000373646100000000000002010200000373646200000000000000"
                + "00100000"),
        golden(
            FrameType.OPEN,
            new Open(
                U,
                new Name("db"),
                BlockSize.KIB_256,
                List.of(SDA),
                new SessionKey(V, new WrappedKey(U, new byte[] {1, 2, 3}))),
            "0000004f10000000000102030405060708090a0b0c0d0e0f0004000000026462"
                + "0001000373646100000000000002010200"
                + "01101112131415161718191a1b1c1d1e1f"
                + "000102030405060708090a0b0c0d0e0f0003010203"),
        golden(
            FrameType.OPENED,
            new Opened(U, 9, 8),
            "0000002011000000000102030405060708090a0b0c0d0e0f0000000000000009"
                + "0000000000000008"),
        golden(FrameType.BEGIN_DISK, new BeginDisk(255), "000000021200000000ff"),
        golden(
            FrameType.QUEUED,
            new Queued(1, 2, "waiting for repository slot"),
            "0000002313000000000100000002001b77616974696e6720666f72207265706f"
                + "7369746f727920736c6f74"),
        golden(FrameType.GRANTED, new Granted(1, 1L << 32), "0000000a1400000000010000000100000000"),
        golden(
            FrameType.ZERO,
            new Zero(1, 2, Long.MAX_VALUE - 2),
            "0000001215000000000100000000000000027ffffffffffffffd"),
        golden(
            FrameType.SAME,
            new Same(1, 2, 3),
            "0000001216000000000100000000000000020000000000000003"),
        golden(
            FrameType.OFFER,
            new Offer(1, 2, List.of(id(4), id(5))),
            "0000004c17000000000100000000000000020002000000000000000400000000"
                + "0000000100000000000000020000000000000003000000000000000500000000"
                + "0000000100000000000000020000000000000003"),
        golden(
            FrameType.ANSWER,
            new Answer(1, 2, 10, bits(0, 3, 9)),
            "0000000e1800000000010000000000000002000a0902"),
        golden(
            FrameType.ACK,
            new Ack(1, List.of(258L, 3L)),
            "000000141a0000000001000200000000000001020000000000000003"),
        golden(FrameType.CREDIT, new Credit(1052672), "000000081b0000000000000000101000"),
        golden(
            FrameType.CHECKPOINT,
            new Checkpoint(1L << 40, new TargetFigures(1, 2, 3, 258)),
            "000000281c0000000000010000000000"
                + "0000000000000001000000000000000200000000000000030000000000000102"),
        golden(
            FrameType.END_DISK,
            new EndDisk(1, id(6), id(7)),
            "000000421d000000000100000000000000060000000000000001000000000000"
                + "00020000000000000003"
                + "0000000000000007000000000000000100000000000000020000000000000003"),
        golden(FrameType.COMMIT, new Commit(U), "000000101e000000000102030405060708090a0b0c0d0e0f"),
        golden(
            FrameType.COMMIT_PROGRESS,
            new CommitProgress(100, "syncing"),
            "0000000a1f00000064000773796e63696e67"),
        golden(
            FrameType.NEED,
            new Need(1, List.of(2L), true),
            "0000000d2000000000010100010000000000000002"),
        golden(
            FrameType.COMMITTED,
            new Committed(1, U, 2, 3, 4, 5, 6, new TargetFigures(7, 8, 9, 10), List.of("a", "b")),
            "00000068210000000000000000000001000102030405060708090a0b0c0d0e0f"
                + "0000000000000002000000000000000300000000000000040000000000000005"
                + "0000000000000006000000000000000700000000000000080000000000000009"
                + "000000000000000a0002000161000162"),
        golden(FrameType.ABORT, new Abort("cancelled"), "0000000b22000000000963616e63656c6c6564"),
        golden(
            FrameType.RESUME,
            new Resume(U, new Name("db")),
            "0000001423000000000102030405060708090a0b0c0d0e0f00026462"),
        golden(
            FrameType.LIST_POINTS,
            new ListPoints("", "db", 3),
            "0000000e300000000000000264620000000000000003"),
        golden(
            FrameType.POINTS,
            new Points(List.of(POINT), true),
            "000000bb310000000100010005646220c3a90000000000000009000102030405"
                + "060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f000000006553"
                + "f100000000050010000000000000000010000000000000000800000000006553"
                + "f484101112131415161718191a1b1c1d1e1f"
                + "000100037364610000000000000201020000000000000000070000000000"
                + "00000100000000000000020000000000000003"
                + "0000000000000008000000000000000100000000000000020000000000000003"),
        golden(
            FrameType.READ_POINT,
            new ReadPoint(new Name("db"), 0, true),
            "0000000d3200000000026462000000000000000001"),
        golden(
            FrameType.POINT,
            new Point(POINT),
            "000000b8330000000005646220c3a90000000000000009000102030405060708"
                + "090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f000000006553f10000"
                + "0000050010000000000000000010000000000000000800000000006553f484"
                + "101112131415161718191a1b1c1d1e1f00"
                + "0100037364610000000000000201020000000000000000070000000000000001"
                + "00000000000000020000000000000003"
                + "0000000000000008000000000000000100000000000000020000000000000003"),
        golden(FrameType.READ_KEYS, new ReadKeys(258), "000000043900000000000102"),
        golden(
            FrameType.KEYS,
            new Keys(2, List.of(new WrappedKey(U, new byte[] {1, 2, 3}))),
            "0000001b3a000000000000020001" + "000102030405060708090a0b0c0d0e0f0003010203"),
        golden(FrameType.READ_MAP, new ReadMap(1, 2), "0000000a3400000000010000000000000002"),
        golden(
            FrameType.MAP_PART,
            new MapPart(
                1,
                2,
                List.of(new MapRun(null, 3), new MapRun(id(4), 1), new MapRun(null, 5, true))),
            "0000003f35000000000100000000000000020003000000000000000003010000"
                + "000000000004000000000000000100000000000000020000000000000003"
                + "020000000000000005"),
        golden(FrameType.GET, new Get(1), "00000002360000000001"),
        golden(
            FrameType.SENT,
            new Sent(1, 2, 1, List.of("block 7 is damaged")),
            "000000283800000000010000000000000002000000000000000100010012626c"
                + "6f636b20372069732064616d61676564"),
        golden(
            FrameType.VERIFY,
            new Verify("db", 0, true),
            "0000000d4000000000026462000000000000000001"),
        golden(
            FrameType.DAMAGE,
            new Damage(
                new Name("db"),
                9,
                new Name("sda"),
                List.of(new Damage.Block(1 << 20, 512, id(4)), new Damage.Block(3, 2, id(5)))),
            "0000006b42000000000264620000000000000009000373646100020000000000"
                + "1000000000020000000000000000040000000000000001000000000000000200"
                + "0000000000000300000000000000030000000200000000000000050000000000"
                + "00000100000000000000020000000000000003"),
        golden(
            FrameType.VERDICT,
            new VerdictFrame(
                new Verdict("db", 9, "db.mbf", Verdict.Outcome.DAMAGED, 4, List.of("x"), 5), 1, 2),
            "0000003b41000000000000000000000100000000000000020100026462000000"
                + "0000000009000664622e6d626602000000000000000400000000000000050001"
                + "000178"),
        golden(
            FrameType.VERDICT,
            new VerdictFrame(null, 2, 2),
            "00000011410000000000000000000002000000000000000200"),
        golden(
            FrameType.DELETE,
            new Delete(new Name("db"), 7, RemovalMode.ESTIMATE),
            "0000000d5000000000026462000000000000000701"),
        golden(
            FrameType.RETAIN,
            new Retain("", new Retention(1, 7, 4, 12, 0), RemovalMode.EXACT),
            "000000175100000000000000000100000007000000040000000c0000000002"),
        golden(
            FrameType.REMOVED,
            new Removed(new Removal("db", List.of(1L, 3L), 5, 4096, 8192, "x"), 2, 0),
            "00000042520000000000000000000002000000000000000001000264620000"
                + "00000000000500000000000010000000000000002000000178000200000000"
                + "000000010000000000000003"),
        golden(
            FrameType.REMOVED,
            new Removed(null, 2, 5000),
            "00000011520000000000000000000002000000000000138800"),
        golden(
            FrameType.LIST_PARTIALS,
            new ListPartials("db", "a"),
            "0000000753" + "000000" + "0002646200" + "0161"),
        golden(
            FrameType.REMOVE_PARTIALS,
            new RemovePartials(new Name("db")),
            "0000000454" + "000000" + "00026462"),
        golden(
            FrameType.PARTIALS,
            new Partials(
                List.of(
                    new Partial(
                        new Name("db"),
                        "db/x",
                        new UUID(1, 2),
                        Instant.ofEpochMilli(3),
                        Instant.ofEpochMilli(4),
                        4096,
                        Partial.Use.SESSION)),
                true),
            "0000003655"
                + "000000"
                + "010001"
                + "00026462"
                + "000464622f78"
                + "00000000000000010000000000000002"
                + "00000000000000030000000000000004000000000000100001"));
  }

  static List<GoldenBulk> bulk() {
    return List.of(
        new GoldenBulk(
            new BulkHeader(
                BulkHeader.Kind.BLOCK,
                1,
                258,
                id(4),
                Codec.ZSTD,
                1 << 20,
                1000,
                0xdeadbeef,
                new Envelope(0x0102, U, 3, 4, 5, 6)),
            "0000045819000000000101000010000000000000000001020000000000000004"
                + "000000000000000100000000000000020000000000000003000003e8deadbeef"
                + "0102000000000000000102030405060708090a0b0c0d0e0f"
                + "0000000000000003000000000000000400000000000000050000000000000006"),
        new GoldenBulk(
            new BulkHeader(
                BulkHeader.Kind.DATA, 2, 0, id(4), Codec.RAW, 512, 512, 1, Envelope.NONE),
            "0000027037000000000200000000020000000000000000000000000000000004"
                + "0000000000000001000000000000000200000000000000030000020000000001"
                + "00".repeat(Envelope.BYTES)));
  }

  static BlockId id(long first) {
    return new BlockId(first, 1, 2, 3);
  }

  static BitSet bits(int... set) {
    BitSet bits = new BitSet();
    for (int bit : set) {
      bits.set(bit);
    }
    return bits;
  }

  private static Golden golden(FrameType type, Frame frame, String hex) {
    return new Golden(type, frame, hex);
  }
}
