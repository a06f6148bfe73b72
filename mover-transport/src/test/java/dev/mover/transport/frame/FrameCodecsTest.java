package dev.mover.transport.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.error.Side;
import dev.mover.testkit.Seeds;
import dev.mover.transport.frame.GoldenFrames.Golden;
import dev.mover.transport.frame.GoldenFrames.GoldenBulk;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FrameCodecsTest {
  private static final Set<ErrorCode> REFUSALS =
      Set.of(ErrorCode.PROTOCOL_VIOLATION, ErrorCode.FRAME_TOO_LARGE, ErrorCode.NOT_A_MOVER);

  static List<Golden> control() {
    return GoldenFrames.control();
  }

  static List<GoldenBulk> bulk() {
    return GoldenFrames.bulk();
  }

  @ParameterizedTest
  @MethodSource("control")
  void writesTheGoldenBytes(Golden golden) {
    ByteBuffer frame = FrameCodecs.encode(golden.frame());
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    assertThat(HexFormat.of().formatHex(bytes)).isEqualTo(golden.hex());
  }

  @ParameterizedTest
  @MethodSource("control")
  void readsTheGoldenBytes(Golden golden) {
    ByteBuffer bytes = golden.bytes();
    FrameHeader header = FrameHeader.read(bytes);
    assertThat(header).isEqualTo(new FrameHeader(golden.type(), bytes.remaining()));
    assertThat(FrameCodecs.decode(header.type(), bytes)).isEqualTo(golden.frame());
  }

  @ParameterizedTest
  @MethodSource("bulk")
  void readsAndWritesGoldenBulkHeaders(GoldenBulk golden) {
    ByteBuffer out = ByteBuffer.allocate(BulkHeader.PREFIX_BYTES);
    FrameCodecs.encodeBulk(golden.header(), out);
    assertThat(HexFormat.of().formatHex(out.array())).isEqualTo(golden.hex());
    ByteBuffer in = golden.bytes();
    assertThat(FrameCodecs.decodeBulk(FrameHeader.read(in), in)).isEqualTo(golden.header());
  }

  @Test
  void hasGoldenBytesForEveryType() {
    Stream<FrameType> types =
        Stream.concat(
            control().stream().map(Golden::type), Stream.of(FrameType.BLOCK, FrameType.DATA));
    assertThat(types.collect(Collectors.toSet())).containsExactlyInAnyOrder(FrameType.values());
  }

  @ParameterizedTest
  @MethodSource("control")
  void refusesEveryTruncationAndEveryTail(Golden golden) {
    byte[] whole = HexFormat.of().parseHex(golden.hex());
    int payload = whole.length - FrameHeader.BYTES;
    for (int length = 0; length < payload; length++) {
      ByteBuffer cut = ByteBuffer.wrap(whole, FrameHeader.BYTES, length).slice();
      assertRefused(() -> FrameCodecs.decode(golden.type(), cut));
    }
    ByteBuffer tail = ByteBuffer.allocate(payload + 1).put(whole, FrameHeader.BYTES, payload);
    assertRefused(() -> FrameCodecs.decode(golden.type(), tail.rewind()));
  }

  @ParameterizedTest
  @MethodSource("control")
  void survivesFlippedBits(Golden golden) {
    byte[] whole = HexFormat.of().parseHex(golden.hex());
    Seeds.check(
        200,
        random -> {
          byte[] damaged = whole.clone();
          for (int flips = random.nextInt(1, 4); flips > 0; flips--) {
            int bit = random.nextInt(8 * damaged.length);
            damaged[bit / 8] ^= (byte) (1 << (bit % 8));
          }
          assertTakenOrRefused(ByteBuffer.wrap(damaged));
        });
  }

  @ParameterizedTest
  @MethodSource("bulk")
  void survivesFlippedBitsInBulkHeaders(GoldenBulk golden) {
    byte[] whole = HexFormat.of().parseHex(golden.hex());
    for (int bit = 0; bit < 8 * whole.length; bit++) {
      byte[] damaged = whole.clone();
      damaged[bit / 8] ^= (byte) (1 << (bit % 8));
      ByteBuffer in = ByteBuffer.wrap(damaged);
      try {
        FrameHeader header = FrameHeader.read(in);
        if (header.type().isBulk()) {
          BulkHeader taken = FrameCodecs.decodeBulk(header, in);
          assertThat(taken.plainLength()).isBetween(1, BlockSize.MAX_BYTES);
          assertThat(taken.payloadLength()).isBetween(1, taken.plainLength());
        }
      } catch (LinkException e) {
        assertThat(e.code()).isIn(REFUSALS);
      }
    }
  }

  @Test
  void survivesBytesOfAnotherWorld() {
    Seeds.check(
        2000,
        random -> {
          byte[] bytes = new byte[random.nextInt(8, 200)];
          random.nextBytes(bytes);
          FrameType[] types = FrameType.values();
          FrameType type = types[random.nextInt(types.length)];
          new FrameHeader(type, Math.min(bytes.length - 8, type.maxPayload()))
              .write(ByteBuffer.wrap(bytes));
          assertTakenOrRefused(ByteBuffer.wrap(bytes));
        });
  }

  @Test
  void refusesLengthsBeyondTheTypesLimitBeforeTheyCostAnything() {
    for (FrameType type : FrameType.values()) {
      for (int length : new int[] {type.maxPayload() + 1, Integer.MAX_VALUE, -1}) {
        ByteBuffer bytes = ByteBuffer.allocate(FrameHeader.BYTES);
        bytes.putInt(length).put((byte) type.number()).putInt(4, type.number() << 24).rewind();
        assertThatThrownBy(() -> FrameHeader.read(bytes))
            .isInstanceOfSatisfying(
                LinkException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.FRAME_TOO_LARGE));
      }
      assertThat(type.isBulk() || type.maxPayload() <= Frame.MAX_PAYLOAD).isTrue();
    }
  }

  @Test
  void refusesUnknownTypesAndReservedBits() {
    for (String hex :
        List.of("0000000000000000", "00000000ff000000", "0000000804010000", "0000000804000001")) {
      assertRefused(() -> FrameHeader.read(ByteBuffer.wrap(HexFormat.of().parseHex(hex))));
    }
  }

  @Test
  void fitsTheLargestFrameOfEveryKind() {
    String text = "é".repeat(Frame.MAX_TEXT / 2);
    List<String> lines = Collections.nCopies(Frame.MAX_LINES, text);
    List<Long> blocks = Collections.nCopies(Ack.MAX_BLOCKS, Long.MAX_VALUE);
    List<Frame> largest =
        List.of(
            new Hello(1, 1, "x".repeat(Hello.MAX_SOFTWARE)),
            new ErrorFrame(1, Side.LINK, text),
            new Queued(255, 1, text),
            new Offer(255, 0, Collections.nCopies(Offer.MAX_IDS, GoldenFrames.id(1))),
            new Answer(255, 0, Offer.MAX_IDS, new BitSet()),
            new Ack(255, blocks),
            new Need(255, blocks, false),
            new Sent(255, 0, 0, lines),
            new Committed(1, new java.util.UUID(1, 2), 0, 0, 0, 0, 0, TargetFigures.NONE, lines),
            new MapPart(
                255,
                0,
                Collections.nCopies(MapPart.MAX_RUNS, new MapPart.MapRun(GoldenFrames.id(1), 1))));
    for (Frame frame : largest) {
      ByteBuffer bytes = FrameCodecs.encode(frame);
      FrameHeader header = FrameHeader.read(bytes);
      assertThat(header.payloadLength()).isEqualTo(header.type().maxPayload());
      assertThat(FrameCodecs.decode(header.type(), bytes)).isEqualTo(frame);
    }
  }

  @Test
  void cutsLongTextsBetweenCharacters() {
    String tooLong = "x" + "é".repeat(Frame.MAX_TEXT);
    Abort read = (Abort) roundTrip(new Abort(tooLong));
    assertThat(tooLong).startsWith(read.reason());
    assertThat(read.reason()).hasSize(1 + (Frame.MAX_TEXT - 1) / 2).doesNotContain("\ufffd");

    List<String> lines = IntStream.range(0, 100).mapToObj(i -> "line " + i).toList();
    Sent sent = (Sent) roundTrip(new Sent(0, 0, 0, lines));
    assertThat(sent.findings()).hasSize(Frame.MAX_LINES).endsWith("and 37 more");
  }

  @Test
  void refusesToSendWhatTheOtherSideWouldRefuse() {
    List<Frame> wrong =
        List.of(
            new Ack(0, List.of()),
            new Ack(Open.MAX_DISKS, List.of(1L)),
            new Answer(0, 0, 1, GoldenFrames.bits(1)),
            new Answer(0, 0, Offer.MAX_IDS + 1, new BitSet()),
            new Offer(0, 0, List.of()),
            new Hello(-1, 1, ""));
    for (Frame frame : wrong) {
      assertThatThrownBy(() -> FrameCodecs.encode(frame))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void readsBackWhateverItWrites() {
    Seeds.check(
        500,
        random -> {
          Frame frame = RandomFrames.next(random);
          assertThat(roundTrip(frame)).isEqualTo(frame);
        });
  }

  @Test
  void putsAsManyPointsInAFrameAsFit() {
    Seeds.check(
        20,
        random -> {
          List<dev.mover.api.point.RestorePoint> points =
              Stream.generate(() -> RandomFrames.point(random, random.nextInt(257)))
                  .limit(random.nextInt(100))
                  .toList();
          Points first = Points.fitting(points, true);
          assertThat(roundTrip(first)).isEqualTo(first);
          assertThat(points)
              .startsWith(first.points().toArray(dev.mover.api.point.RestorePoint[]::new));
          assertThat(first.last()).isEqualTo(first.points().size() == points.size());
          assertThat(first.points().isEmpty()).isEqualTo(points.isEmpty());
        });
  }

  private static Frame roundTrip(Frame frame) {
    ByteBuffer bytes = FrameCodecs.encode(frame);
    FrameHeader header = FrameHeader.read(bytes);
    return FrameCodecs.decode(header.type(), bytes);
  }

  private static void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable reading) {
    assertThatThrownBy(reading)
        .isInstanceOfSatisfying(LinkException.class, e -> assertThat(e.code()).isIn(REFUSALS));
  }

  /** Whole frames after the damage are frames like others; all else is refused in good order. */
  private static void assertTakenOrRefused(ByteBuffer bytes) {
    try {
      FrameHeader header = FrameHeader.read(bytes);
      if (!header.type().isBulk()) {
        int length = Math.min(bytes.remaining(), header.payloadLength());
        Frame frame = FrameCodecs.decode(header.type(), bytes.slice(bytes.position(), length));
        assertThat(roundTrip(frame)).isEqualTo(frame);
      }
    } catch (LinkException e) {
      assertThat(e.code()).isIn(REFUSALS);
    }
  }
}
