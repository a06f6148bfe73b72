package dev.mover.transport.frame;

import dev.mover.api.error.Side;

/**
 * The sender can't go on; it closes the link after this frame. Layout is the same in every version.
 *
 * <pre>
 * 0   u16   error code
 * 2   u8    side                0 CLI, 1 proxy, 2 link, 3 repository
 * 3   text  message
 * </pre>
 *
 * @param code a {@link dev.mover.api.error.ErrorCode} number; a receiver that doesn't know it shows
 *     the message
 * @param message at most {@link Frame#MAX_TEXT} bytes, one sentence for a person
 */
public record ErrorFrame(int code, Side side, String message) implements Frame {
  static final FrameCodec<ErrorFrame> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(ErrorFrame error, FrameWriter out) {
          out.u16(error.code()).u8(sideNumber(error.side())).text(error.message(), MAX_TEXT);
        }

        @Override
        public ErrorFrame read(FrameReader in) {
          int code = in.u16();
          Side side =
              switch (in.u8()) {
                case 0 -> Side.CLI;
                case 1 -> Side.PROXY;
                case 2 -> Side.LINK;
                case 3 -> Side.REPOSITORY;
                default -> throw in.violation("its side is unknown");
              };
          return new ErrorFrame(code, side, in.text(MAX_TEXT));
        }
      };

  private static int sideNumber(Side side) {
    return switch (side) {
      case CLI -> 0;
      case PROXY -> 1;
      case LINK -> 2;
      case REPOSITORY -> 3;
    };
  }
}
