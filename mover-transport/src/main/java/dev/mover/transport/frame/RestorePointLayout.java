package dev.mover.transport.frame;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.api.point.RestorePoint;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A restore point inside {@link Point} and {@link Points}.
 *
 * <pre>
 * 0   name  machine
 * ..  u64   sequence
 *     uuid  file id
 *     uuid  session id
 *     i64   created at, seconds since 1970
 *     u32   nanoseconds of it     below 10^9
 *     u32   block size in bytes
 *     u64   file bytes
 *     u64   new bytes
 *     i64   checked at, seconds since 1970; 0: never
 *     uuid  key domain            zeros: not encrypted
 *     u16   count of disks        at most 256
 *     disk  × count: name | u64 size in bytes | u16 sector size | id digest | id seal
 * </pre>
 */
final class RestorePointLayout {
  private static final int FIXED_BYTES = 2 + 8 + 16 + 16 + 8 + 4 + 4 + 8 + 8 + 8 + 16 + 2;
  private static final int DISK_BYTES = 2 + 8 + 2 + 2 * BlockId.BYTES;

  static final int MAX_BYTES =
      FIXED_BYTES + Name.MAX_BYTES + Open.MAX_DISKS * (DISK_BYTES + Name.MAX_BYTES);

  private RestorePointLayout() {}

  static int lengthBytes(RestorePoint point) {
    int length = FIXED_BYTES + utf8Bytes(point.machine());
    for (RestorePoint.Disk disk : point.disks()) {
      length += DISK_BYTES + utf8Bytes(disk.spec().name());
    }
    return length;
  }

  static void write(RestorePoint point, FrameWriter out) {
    out.name(point.machine()).i64(point.sequence());
    out.uuid(point.fileId()).uuid(point.sessionId());
    Instant createdAt = point.createdAt();
    out.i64(createdAt.getEpochSecond()).i32(createdAt.getNano());
    out.i32(point.blockSize().bytes()).i64(point.fileBytes()).i64(point.newBytes());
    out.i64(point.checkedAt().getEpochSecond()).uuid(point.domain());
    out.count(point.disks().size(), 0, Open.MAX_DISKS);
    point.disks().forEach(disk -> out.diskSpec(disk.spec()).id(disk.digest()).id(disk.seal()));
  }

  static RestorePoint read(FrameReader in) {
    Name machine = in.name();
    long sequence = in.notNegative();
    UUID fileId = in.uuid();
    UUID sessionId = in.uuid();
    Instant createdAt = instant(in);
    BlockSize blockSize = in.blockSize();
    long fileBytes = in.notNegative();
    long newBytes = in.notNegative();
    Instant checkedAt = seconds(in);
    UUID domain = in.uuid();
    List<RestorePoint.Disk> disks = in.list(0, Open.MAX_DISKS, () -> disk(in));
    return new RestorePoint(
        machine, sequence, fileId, sessionId, createdAt, blockSize, disks, fileBytes, newBytes,
        checkedAt, domain);
  }

  private static RestorePoint.Disk disk(FrameReader in) {
    DiskSpec spec = in.diskSpec();
    return new RestorePoint.Disk(spec, in.id(), in.id());
  }

  private static Instant instant(FrameReader in) {
    Instant seconds = seconds(in);
    int nanos = in.i32();
    in.check(nanos >= 0 && nanos < 1_000_000_000, "its time is impossible");
    return seconds.plusNanos(nanos);
  }

  private static Instant seconds(FrameReader in) {
    long seconds = in.i64();
    in.check(
        seconds >= Instant.MIN.getEpochSecond() && seconds <= Instant.MAX.getEpochSecond(),
        "its time is impossible");
    return Instant.ofEpochSecond(seconds);
  }

  private static int utf8Bytes(Name name) {
    return name.value().getBytes(StandardCharsets.UTF_8).length;
  }
}
