package dev.mover.repository.catalogue;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import dev.mover.api.point.RestorePoint;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A restore point as a catalogue value, big-endian: u8 2, machine, u64 sequence, 16B file id, 16B
 * session id, i64 created ms, u32 block size, u64 file bytes, u64 new bytes, 16B key domain, u16
 * disks, and for each its name, u64 size, u32 sector, 32B digest, 32B seal. Names are u16 length
 * and UTF-8. What doesn't read as one is rebuilt from its file.
 */
final class PointRecord {
  private static final byte VERSION = 2;
  private static final int NAME_BYTES = 2 + Name.MAX_BYTES;
  private static final int FIXED_BYTES = 128;
  private static final int DISK_BYTES = NAME_BYTES + 8 + 4 + 2 * BlockId.BYTES;

  private PointRecord() {}

  static byte[] write(RestorePoint point) {
    ByteBuffer out =
        ByteBuffer.allocate(FIXED_BYTES + NAME_BYTES + point.disks().size() * DISK_BYTES);
    out.put(VERSION);
    putName(out, point.machine());
    out.putLong(point.sequence());
    putUuid(out, point.fileId());
    putUuid(out, point.sessionId());
    out.putLong(point.createdAt().toEpochMilli()).putInt(point.blockSize().bytes());
    out.putLong(point.fileBytes()).putLong(point.newBytes());
    putUuid(out, point.domain());
    out.putShort((short) point.disks().size());
    for (RestorePoint.Disk disk : point.disks()) {
      putName(out, disk.spec().name());
      out.putLong(disk.spec().sizeBytes()).putInt(disk.spec().sectorSize());
      disk.digest().write(out);
      disk.seal().write(out);
    }
    byte[] bytes = new byte[out.position()];
    out.flip().get(bytes);
    return bytes;
  }

  static Optional<RestorePoint> read(byte[] bytes) {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      return in.get() == VERSION ? Optional.of(body(in)) : Optional.empty();
    } catch (RuntimeException e) {
      return Optional.empty(); // not one of ours, or damaged: the file knows better
    }
  }

  private static RestorePoint body(ByteBuffer in) {
    Name machine = name(in);
    long sequence = in.getLong();
    UUID fileId = new UUID(in.getLong(), in.getLong());
    UUID sessionId = new UUID(in.getLong(), in.getLong());
    Instant created = Instant.ofEpochMilli(in.getLong());
    BlockSize blockSize = BlockSize.ofBytes(in.getInt()).orElseThrow();
    long fileBytes = in.getLong();
    long newBytes = in.getLong();
    UUID domain = new UUID(in.getLong(), in.getLong());
    int count = in.getShort();
    List<RestorePoint.Disk> disks = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      DiskSpec spec = new DiskSpec(name(in), in.getLong(), in.getInt());
      disks.add(new RestorePoint.Disk(spec, BlockId.read(in), BlockId.read(in)));
    }
    return new RestorePoint(
        machine,
        sequence,
        fileId,
        sessionId,
        created,
        blockSize,
        disks,
        fileBytes,
        newBytes,
        Instant.EPOCH,
        domain);
  }

  private static void putUuid(ByteBuffer out, UUID id) {
    out.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
  }

  private static void putName(ByteBuffer out, Name name) {
    byte[] utf8 = name.value().getBytes(StandardCharsets.UTF_8);
    out.putShort((short) utf8.length).put(utf8);
  }

  private static Name name(ByteBuffer in) {
    byte[] utf8 = new byte[in.getShort()];
    in.get(utf8);
    return new Name(new String(utf8, StandardCharsets.UTF_8));
  }
}
