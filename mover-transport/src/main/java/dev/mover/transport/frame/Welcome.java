package dev.mover.transport.frame;

import java.util.UUID;

/**
 * Answer to {@link Hello}: the version both now speak and what this repository is.
 *
 * <pre>
 * 0   u64   "MOVERDP1"
 * 8   u16   version
 * 10  uuid  repository id
 * 26  text  software            at most 64 bytes
 * ..  text  clone mode
 * </pre>
 *
 * @param cloneMode the extent's mode for people, for example {@code cloning on xfs, 4 KiB aligned}
 */
public record Welcome(int version, String software, UUID repositoryId, String cloneMode)
    implements Frame {
  static final FrameCodec<Welcome> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Welcome welcome, FrameWriter out) {
          out.magic().u16(welcome.version()).uuid(welcome.repositoryId());
          out.text(welcome.software(), Hello.MAX_SOFTWARE).text(welcome.cloneMode(), MAX_TEXT);
        }

        @Override
        public Welcome read(FrameReader in) {
          in.magic();
          int version = in.u16();
          UUID repositoryId = in.uuid();
          return new Welcome(version, in.text(Hello.MAX_SOFTWARE), repositoryId, in.text(MAX_TEXT));
        }
      };
}
