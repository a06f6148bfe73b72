package dev.mover.transport.frame;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
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
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** Any frame there may be. */
final class RandomFrames {
  private static final String[] LETTERS = {"a", "Z", " ", "/", ".", "é", "ß", "日", "💾"};

  private RandomFrames() {}

  static Frame next(RandomGenerator r) {
    int disk = r.nextInt(Open.MAX_DISKS);
    long first = number(r) / 2;
    return switch (r.nextInt(32)) {
      case 0 -> new Hello(r.nextInt(5), 5 + r.nextInt(65_000), text(r, 10));
      case 1 -> new Welcome(r.nextInt(65_536), text(r, 10), uuid(r), text(r, 50));
      case 2 -> new ErrorFrame(r.nextInt(65_536), pick(r, Side.values()), text(r, 100));
      case 3 ->
          new Open(
              uuid(r),
              name(r),
              pick(r, BlockSize.values()),
              list(r, 1, Open.MAX_DISKS, () -> spec(r)),
              r.nextBoolean() ? null : new SessionKey(uuid(r), key(r)));
      case 4 -> new Opened(uuid(r), number(r), number(r));
      case 5 -> new Queued(disk, 1 + r.nextInt(1000), text(r, 20));
      case 6 -> new Granted(disk, number(r));
      case 7 -> new Zero(disk, first, 1 + number(r) / 2);
      case 8 -> new Same(disk, first, 1 + number(r) / 2);
      case 9 -> new Offer(disk, first, list(r, 1, Offer.MAX_IDS, () -> id(r)));
      case 10 -> answer(r, disk, first);
      case 11 -> new Ack(disk, list(r, 1, Ack.MAX_BLOCKS, () -> number(r)));
      case 12 -> new Need(disk, list(r, 1, Ack.MAX_BLOCKS, () -> number(r)), r.nextBoolean());
      case 13 -> new CommitProgress(r.nextInt(101), text(r, 10));
      case 14 ->
          new Committed(
              number(r),
              uuid(r),
              number(r),
              number(r),
              number(r),
              number(r),
              number(r),
              new TargetFigures(number(r), number(r), number(r), number(r)),
              list(r, 0, Frame.MAX_LINES, () -> text(r, 20)));
      case 15 -> new ListPoints(text(r, 20), text(r, 20), number(r));
      case 16 -> new Point(point(r, r.nextInt(20)));
      case 17 -> mapPart(r, disk, first);
      case 18 -> new Sent(disk, number(r), number(r), list(r, 0, 64, () -> text(r, 20)));
      case 19 -> new Verify(text(r, 20), number(r), r.nextBoolean());
      case 20 -> new ReadPoint(name(r), number(r), r.nextBoolean());
      case 21 -> new Delete(name(r), number(r), mode(r));
      case 22 -> new Retain(text(r, 20), new Retention(1, n(r), n(r), n(r), n(r)), mode(r));
      case 23 -> new Removed(r.nextBoolean() ? null : removal(r), number(r), number(r));
      case 24 -> new Resume(uuid(r), name(r));
      case 25 ->
          new Damage(name(r), number(r), name(r), list(r, 1, Damage.MAX_BLOCKS, () -> lost(r)));
      case 26 -> new ListPartials(text(r, 20), text(r, 20));
      case 27 -> new RemovePartials(name(r));
      case 28 -> new Partials(list(r, 0, Partials.MAX_PARTIALS, () -> partial(r)), r.nextBoolean());
      case 29 -> new ReadKeys(n(r));
      case 30 -> new Keys(n(r), list(r, 0, Keys.MAX_KEYS, () -> key(r)));
      default -> new VerdictFrame(r.nextBoolean() ? null : verdict(r), number(r), number(r));
    };
  }

  static RestorePoint point(RandomGenerator r, int disks) {
    return new RestorePoint(
        name(r),
        number(r),
        uuid(r),
        uuid(r),
        Instant.ofEpochSecond(r.nextLong(-1L << 34, 1L << 34), r.nextInt(1_000_000_000)),
        pick(r, BlockSize.values()),
        Stream.generate(() -> new RestorePoint.Disk(spec(r), id(r), id(r))).limit(disks).toList(),
        number(r),
        number(r),
        Instant.ofEpochSecond(r.nextLong(-1L << 34, 1L << 34)),
        uuid(r));
  }

  private static WrappedKey key(RandomGenerator r) {
    byte[] bytes = new byte[1 + r.nextInt(WrappedKey.MAX_BYTES)];
    r.nextBytes(bytes);
    return new WrappedKey(uuid(r), bytes);
  }

  private static Answer answer(RandomGenerator r, int disk, long first) {
    int count = 1 + r.nextInt(Offer.MAX_IDS);
    BitSet wanted = new BitSet();
    for (int i = 0; i < count; i++) {
      wanted.set(i, r.nextBoolean());
    }
    return new Answer(disk, first, count, wanted);
  }

  private static MapPart mapPart(RandomGenerator r, int disk, long first) {
    Supplier<MapPart.MapRun> run =
        () ->
            r.nextBoolean()
                ? new MapPart.MapRun(id(r), 1)
                : new MapPart.MapRun(null, r.nextLong(1, 1L << 40), r.nextBoolean());
    return new MapPart(disk, first, list(r, 0, 500, run));
  }

  private static RemovalMode mode(RandomGenerator r) {
    return switch (r.nextInt(3)) {
      case 0 -> RemovalMode.DELETE;
      case 1 -> RemovalMode.ESTIMATE;
      default -> RemovalMode.EXACT;
    };
  }

  private static int n(RandomGenerator r) {
    return r.nextInt(Retention.MOST + 1);
  }

  private static Removal removal(RandomGenerator r) {
    return new Removal(
        text(r, 20),
        list(r, 0, Removal.MAX_POINTS, () -> number(r)),
        number(r),
        number(r),
        number(r),
        text(r, 50));
  }

  private static Verdict verdict(RandomGenerator r) {
    return new Verdict(
        text(r, 20),
        number(r),
        text(r, 50),
        pick(r, Verdict.Outcome.values()),
        number(r),
        list(r, 0, Verdict.MAX_FINDINGS, () -> text(r, 50)),
        number(r));
  }

  private static Damage.Block lost(RandomGenerator r) {
    return new Damage.Block(number(r), r.nextInt(1, BlockSize.MAX_BYTES + 1), id(r));
  }

  private static Partial partial(RandomGenerator r) {
    return new Partial(
        name(r),
        text(r, 60),
        uuid(r),
        Instant.ofEpochMilli(r.nextLong()),
        Instant.ofEpochMilli(r.nextLong()),
        number(r),
        pick(r, Partial.Use.values()));
  }

  private static DiskSpec spec(RandomGenerator r) {
    long size = Math.min(number(r), DiskSpec.MAX_BYTES);
    return new DiskSpec(name(r), size, r.nextBoolean() ? 512 : 4096);
  }

  private static Name name(RandomGenerator r) {
    return new Name("n" + text(r, 60));
  }

  /** Up to {@code letters} letters of 1 to 4 bytes. */
  private static String text(RandomGenerator r, int letters) {
    StringBuilder text = new StringBuilder();
    for (int i = r.nextInt(letters + 1); i > 0; i--) {
      text.append(pick(r, LETTERS));
    }
    return text.toString();
  }

  private static <T> List<T> list(RandomGenerator r, int min, int max, Supplier<T> item) {
    return Stream.generate(item).limit(r.nextInt(min, max + 1)).toList();
  }

  private static <T> T pick(RandomGenerator r, T[] of) {
    return of[r.nextInt(of.length)];
  }

  private static BlockId id(RandomGenerator r) {
    return new BlockId(r.nextLong(), r.nextLong(), r.nextLong(), r.nextLong());
  }

  private static UUID uuid(RandomGenerator r) {
    return new UUID(r.nextLong(), r.nextLong());
  }

  /** Any length of number is as likely as any other. */
  private static long number(RandomGenerator r) {
    return r.nextLong() >>> (1 + r.nextInt(63));
  }
}
