package dev.mover.transport.frame;

import dev.mover.api.point.RestorePoint;
import java.util.List;

/**
 * A batch of restore points, by machine (compared as UTF-8 bytes) and sequence: the answer to one
 * {@link ListPoints}.
 *
 * <pre>
 * 0   u8    last                0 or 1
 * 1   u16   count               at most 64
 * 3   point × count             see RestorePointLayout
 * </pre>
 *
 * @param points 0 to {@link #MAX_POINTS}
 * @param last no more after these
 */
public record Points(List<RestorePoint> points, boolean last) implements Frame {
  /** Keeps a batch of points with a few disks each well below the largest frame. */
  public static final int MAX_POINTS = 64;

  private static final int FIXED_BYTES = 3;

  public Points {
    points = List.copyOf(points);
  }

  /**
   * A frame with as many of {@code points}, from the first, as it can carry: all of them unless
   * their machines have very many disks. Then {@code last} is taken back.
   */
  public static Points fitting(List<RestorePoint> points, boolean last) {
    int count = 0;
    int lengthBytes = FIXED_BYTES;
    while (count < Math.min(points.size(), MAX_POINTS)) {
      lengthBytes += RestorePointLayout.lengthBytes(points.get(count));
      if (lengthBytes > MAX_PAYLOAD) {
        break;
      }
      count++;
    }
    return new Points(points.subList(0, count), last && count == points.size());
  }

  static final FrameCodec<Points> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Points points, FrameWriter out) {
          out.flag(points.last()).count(points.points().size(), 0, MAX_POINTS);
          points.points().forEach(point -> RestorePointLayout.write(point, out));
        }

        @Override
        public Points read(FrameReader in) {
          boolean last = in.flag();
          return new Points(in.list(0, MAX_POINTS, () -> RestorePointLayout.read(in)), last);
        }
      };
}
