package dev.mover.repository.file;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.InputException;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A disk in the disk table, 400 bytes, big-endian, 10 a page.
 *
 * <pre>
 * 0   u16 name length, 255 B of UTF-8, zeros to 263
 * 264 u64 size in bytes
 * 272 u32 sector size, u32 0
 * 280 32B disk digest
 * 312 32B seal, zeros: not sealed
 * 344 u64 first map page, counted from the start of the metadata
 * 352 u64 map pages
 * 360 u64 map entries
 * 368 32B 0
 * </pre>
 */
public record DiskRecord(
    DiskSpec spec, BlockId digest, BlockId seal, long firstMapPage, long mapPages, long entries) {
  static final int BYTES = 400;
  static final int PER_PAGE = Page.ROOM / BYTES;

  void write(ByteBuffer out) {
    ByteBuffer b = out.slice(out.position(), BYTES);
    b.put(new byte[BYTES]).position(0);
    Footer.putName(b, spec.name());
    b.position(264);
    b.putLong(spec.sizeBytes()).putInt(spec.sectorSize()).putInt(0);
    digest.write(b);
    seal.write(b);
    b.putLong(firstMapPage).putLong(mapPages).putLong(entries);
    out.position(out.position() + BYTES);
  }

  /** Nothing where no disk can be so. */
  static Optional<DiskRecord> read(ByteBuffer in) {
    ByteBuffer b = in.slice(in.position(), BYTES);
    in.position(in.position() + BYTES);
    Optional<Name> name = Footer.name(b);
    b.position(264);
    long sizeBytes = b.getLong();
    int sectorSize = b.getInt();
    b.position(280);
    BlockId digest = BlockId.read(b);
    BlockId seal = BlockId.read(b);
    long firstMapPage = b.getLong();
    long mapPages = b.getLong();
    long entries = b.getLong();
    try {
      return name.map(n -> new DiskSpec(n, sizeBytes, sectorSize))
          .map(spec -> new DiskRecord(spec, digest, seal, firstMapPage, mapPages, entries));
    } catch (InputException e) {
      return Optional.empty();
    }
  }

  /** Whether its map lies in metadata of so many pages. */
  boolean fits(long pages) {
    return firstMapPage >= 0
        && mapPages >= 0
        && mapPages <= pages
        && firstMapPage <= pages - mapPages
        && entries >= 0;
  }
}
