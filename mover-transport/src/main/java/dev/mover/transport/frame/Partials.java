package dev.mover.transport.frame;

import dev.mover.api.point.Name;
import dev.mover.api.point.Partial;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A batch of partials, by file: the answer to one {@link ListPartials} or {@link RemovePartials}.
 *
 * <pre>
 * 0   u8    last                0 or 1
 * 1   u16   count               at most 64
 * 3   partial × count:
 *     name  machine
 *     text  file                at most 512 bytes
 *     uuid  session id          zeros: not known
 *     i64   begun at, milliseconds since 1970; 0: not known
 *     i64   written at, milliseconds since 1970
 *     u64   occupied bytes
 *     u8    use                 0 free, 1 a session's, 2 not known
 * </pre>
 *
 * @param partials 0 to {@link #MAX_PARTIALS}
 * @param last no more after these
 */
public record Partials(List<Partial> partials, boolean last) implements Frame {
  public static final int MAX_PARTIALS = 64;

  /** Of one partial, at most. */
  static final int PARTIAL_BYTES = 2 + Name.MAX_BYTES + 2 + Partial.MAX_FILE_BYTES + 16 + 24 + 1;

  public Partials {
    partials = List.copyOf(partials);
  }

  static final FrameCodec<Partials> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Partials frame, FrameWriter out) {
          out.flag(frame.last()).count(frame.partials().size(), 0, MAX_PARTIALS);
          frame.partials().forEach(partial -> one(partial, out));
        }

        @Override
        public Partials read(FrameReader in) {
          boolean last = in.flag();
          return new Partials(in.list(0, MAX_PARTIALS, () -> one(in)), last);
        }
      };

  private static void one(Partial partial, FrameWriter out) {
    out.name(partial.machine()).text(partial.file(), Partial.MAX_FILE_BYTES);
    out.uuid(partial.sessionId());
    out.i64(partial.begunAt().toEpochMilli()).i64(partial.writtenAt().toEpochMilli());
    out.i64(partial.occupiedBytes()).u8(partial.use().number());
  }

  private static Partial one(FrameReader in) {
    Name machine = in.name();
    String file = in.text(Partial.MAX_FILE_BYTES);
    UUID sessionId = in.uuid();
    Instant begunAt = Instant.ofEpochMilli(in.i64());
    Instant writtenAt = Instant.ofEpochMilli(in.i64());
    long occupiedBytes = in.notNegative();
    Optional<Partial.Use> use = Partial.Use.of(in.u8());
    in.check(use.isPresent(), "its use is unknown");
    return new Partial(
        machine, file, sessionId, begunAt, writtenAt, occupiedBytes, use.orElseThrow());
  }
}
