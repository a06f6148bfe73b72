package dev.mover.transport.carrier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.block.BlockSize;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.LinkException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.testkit.Seeds;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Bye;
import dev.mover.transport.frame.Checkpoint;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.FrameCodecs;
import dev.mover.transport.frame.FrameType;
import dev.mover.transport.frame.TargetFigures;
import dev.mover.transport.link.BulkReceiver;
import dev.mover.transport.link.Slots;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FrameParserTest {
  private final Slots slots = new Slots(BlockSize.KIB_256, 1);
  private final List<Frame> frames = new ArrayList<>();

  private FrameParser parser(BulkReceiver receiver) {
    return new FrameParser(
        new FrameParser.Sink() {
          @Override
          public void expects(FrameType type) {
            if (type == FrameType.ABORT) {
              throw new LinkException(ErrorCode.PROTOCOL_VIOLATION, "not now");
            }
          }

          @Override
          public void arrived(Frame frame) {
            frames.add(frame);
          }

          @Override
          public BulkReceiver receiver() {
            return receiver;
          }
        });
  }

  @Test
  void cutsTheSameFramesHoweverTheStreamIsChopped() {
    Seeds.check(
        200,
        random -> {
          frames.clear();
          int before = slots.arrived(0).size();
          ByteBuffer stream = ByteBuffer.allocate(8 << 20);
          List<Frame> sent = new ArrayList<>();
          List<BulkHeader> sentBulk = new ArrayList<>();
          for (int i = random.nextInt(1, 12); i > 0; i--) {
            if (random.nextInt(3) == 0) {
              sentBulk.add(putBlock(stream, i, random.nextInt(1, 200_000)));
            } else {
              sent.add(
                  random.nextInt(5) == 0
                      ? new Bye()
                      : new Checkpoint(random.nextInt(9), TargetFigures.NONE));
              stream.put(FrameCodecs.encode(sent.getLast()));
            }
          }
          stream.flip();
          FrameParser parser = parser(slots);
          while (stream.hasRemaining()) {
            int length =
                Math.min(stream.remaining(), 1 + (random.nextInt(1 << 20) >>> random.nextInt(20)));
            parser.accept(stream.slice(stream.position(), length));
            stream.position(stream.position() + length);
          }
          assertThat(frames).isEqualTo(sent);
          List<BulkHeader> all = slots.arrived(before + sentBulk.size());
          assertThat(all.subList(before, all.size())).isEqualTo(sentBulk);
          assertThat(slots.lent()).isZero();
        });
  }

  @Test
  void givesALentBufferBackWhenAbandoned() {
    ByteBuffer stream = ByteBuffer.allocate(200_000);
    putBlock(stream, 1, 100_000);
    FrameParser parser = parser(slots);
    parser.accept(stream.flip().limit(5000));
    assertThat(slots.lent()).isEqualTo(1);
    parser.abandon();
    parser.abandon();
    slots.awaitDropped(1);
    assertThat(slots.lent()).isZero();
    parser.accept(stream.limit(stream.capacity()));
    assertThat(slots.lent()).isZero();
  }

  @Test
  void asksBeforeItTakesAFrame() {
    ByteBuffer header = ByteBuffer.allocate(8).putInt(1026).put((byte) 0x22).rewind();
    assertThatThrownBy(() -> parser(slots).accept(header)).hasMessage("not now");
  }

  @Test
  void refusesABulkFrameWithoutPayload() {
    ByteBuffer header = ByteBuffer.allocate(8).putInt(BulkHeader.BYTES).put((byte) 0x19).rewind();
    assertThatThrownBy(() -> parser(slots).accept(header)).isInstanceOf(LinkException.class);
  }

  @Test
  void failsLoudlyWhenTheLentBufferIsTooSmall() {
    ByteBuffer stream = ByteBuffer.allocate(600_000);
    putBlock(stream, 1, 500_000);
    FrameParser parser = parser(slots);
    assertThatThrownBy(() -> parser.accept(stream.flip()))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(slots.lent()).isEqualTo(1);
    parser.abandon();
    assertThat(slots.lent()).isZero();
  }

  private static BulkHeader putBlock(ByteBuffer stream, long block, int length) {
    byte[] payload = new byte[length];
    new java.util.SplittableRandom(block).nextBytes(payload);
    BulkHeader header = Slots.header(BulkHeader.Kind.BLOCK, block, ByteBuffer.wrap(payload));
    FrameCodecs.encodeBulk(header, stream);
    stream.put(payload);
    return header;
  }

  @Test
  void lendsNothingWhereNothingIsExpected() {
    ByteBuffer stream = ByteBuffer.allocate(1000);
    putBlock(stream, 1, 100);
    assertThatThrownBy(() -> parser(BulkReceiver.NONE).accept(stream.flip()))
        .isInstanceOf(LinkException.class);
    BlockBuffer free = slots.lend(Slots.header(BulkHeader.Kind.BLOCK, 1, ByteBuffer.allocate(1)));
    free.release();
  }
}
