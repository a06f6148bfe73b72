package dev.mover.transport.frame;

import dev.mover.api.point.RestorePoint;

/**
 * The point that {@link ReadPoint} opened.
 *
 * <pre>
 * 0   point                     see RestorePointLayout
 * </pre>
 */
public record Point(RestorePoint point) implements Frame {
  static final FrameCodec<Point> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Point point, FrameWriter out) {
          RestorePointLayout.write(point.point(), out);
        }

        @Override
        public Point read(FrameReader in) {
          return new Point(RestorePointLayout.read(in));
        }
      };
}
