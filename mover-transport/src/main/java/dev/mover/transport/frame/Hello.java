package dev.mover.transport.frame;

/**
 * First frame of a client: says that this is a mover, and which versions it speaks. Its layout is
 * the same in every version, so that versions that don't overlap can still say so.
 *
 * <pre>
 * 0   u64   "MOVERDP1"
 * 8   u16   lowest version
 * 10  u16   highest version     not below the lowest
 * 12  text  software            at most 64 bytes
 * </pre>
 *
 * @param software for logs, at most 64 bytes, for example {@code mover 0.1.0}
 */
public record Hello(int lowestVersion, int highestVersion, String software) implements Frame {
  static final int MAX_SOFTWARE = 64;

  static final FrameCodec<Hello> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Hello hello, FrameWriter out) {
          out.magic().u16(hello.lowestVersion()).u16(hello.highestVersion());
          out.text(hello.software(), MAX_SOFTWARE);
        }

        @Override
        public Hello read(FrameReader in) {
          in.magic();
          Hello hello = new Hello(in.u16(), in.u16(), in.text(MAX_SOFTWARE));
          in.check(hello.lowestVersion <= hello.highestVersion, "its versions are reversed");
          return hello;
        }
      };
}
