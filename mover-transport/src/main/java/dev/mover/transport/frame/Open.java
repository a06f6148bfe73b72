package dev.mover.transport.frame;

import dev.mover.api.block.BlockSize;
import dev.mover.api.block.SessionKey;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.point.Name;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a backup session of one machine. The session id is the proxy's and makes {@link Commit}
 * idempotent; all disks of the machine are named here, in the order of their indexes.
 *
 * <pre>
 * 0   uuid  session id
 * 16  u32   block size          one of the four, in bytes
 * 20  name  machine
 * ..  u16   count of disks      1 to 256
 * ..  disk  × count: name | u64 size in bytes | u16 sector size
 * ..  u8    encrypted           0 or 1, and if 1:
 * ..  uuid  key domain
 *     key   wrapped key: uuid | u16 length, 1 to 110 | bytes
 * </pre>
 *
 * @param disks 1 to {@link #MAX_DISKS}
 * @param key of a session that encrypts
 */
public record Open(
    UUID sessionId,
    Name machine,
    BlockSize blockSize,
    List<DiskSpec> disks,
    @Nullable SessionKey key)
    implements Frame {
  /** More disks than any hypervisor attaches to one machine. */
  public static final int MAX_DISKS = 256;

  public Open {
    disks = List.copyOf(disks);
  }

  /** One that does not encrypt. */
  public Open(UUID sessionId, Name machine, BlockSize blockSize, List<DiskSpec> disks) {
    this(sessionId, machine, blockSize, disks, null);
  }

  /** The key domain whose blocks the session shares. */
  public UUID domain() {
    SessionKey own = key;
    return own == null ? SessionKey.NO_DOMAIN : own.domain();
  }

  static final FrameCodec<Open> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Open open, FrameWriter out) {
          out.uuid(open.sessionId()).i32(open.blockSize().bytes()).name(open.machine());
          out.count(open.disks().size(), 1, MAX_DISKS);
          open.disks().forEach(out::diskSpec);
          SessionKey key = open.key();
          out.flag(key != null);
          if (key != null) {
            out.uuid(key.domain()).wrappedKey(key.key());
          }
        }

        @Override
        public Open read(FrameReader in) {
          UUID sessionId = in.uuid();
          BlockSize blockSize = in.blockSize();
          Name machine = in.name();
          List<DiskSpec> disks = in.list(1, MAX_DISKS, in::diskSpec);
          SessionKey key = in.flag() ? new SessionKey(domain(in), in.wrappedKey()) : null;
          return new Open(sessionId, machine, blockSize, disks, key);
        }
      };

  private static UUID domain(FrameReader in) {
    UUID domain = in.uuid();
    in.check(!domain.equals(SessionKey.NO_DOMAIN), "its key domain is none");
    return domain;
  }
}
