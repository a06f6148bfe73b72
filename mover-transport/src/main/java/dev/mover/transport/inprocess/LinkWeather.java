package dev.mover.transport.inprocess;

import java.util.SplittableRandom;

/**
 * Trouble on the way, for tests. Asked once a frame, in each direction in order of sending; called
 * on senders' threads, one at a time a direction. Never reorders within a direction.
 */
public interface LinkWeather {
  /** No delay, no loss. */
  LinkWeather FAIR =
      new LinkWeather() {
        @Override
        public long delayMicros(Direction direction, long frame) {
          return 0;
        }

        @Override
        public boolean loses(Direction direction, long frame) {
          return false;
        }
      };

  enum Direction {
    TO_REPOSITORY,
    TO_PROXY
  }

  /** How long control frame {@code frame} (from 0, bulk frames count too) is under way at least. */
  long delayMicros(Direction direction, long frame);

  /**
   * Whether the link breaks at this frame. Of a bulk frame the first half of its payload arrives
   * before.
   */
  boolean loses(Direction direction, long frame);

  /** Delays of 0 to {@code maxDelayMicros}, the same for the same seed; the link holds. */
  static LinkWeather delays(long seed, long maxDelayMicros) {
    return new LinkWeather() {
      @Override
      public long delayMicros(Direction direction, long frame) {
        long frameSeed = seed ^ (frame * 2 + (direction == Direction.TO_PROXY ? 1 : 0));
        return new SplittableRandom(frameSeed).nextLong(maxDelayMicros + 1);
      }

      @Override
      public boolean loses(Direction direction, long frame) {
        return false;
      }
    };
  }

  /** This weather until {@code frame} of {@code direction}, which breaks the link. */
  default LinkWeather losing(Direction direction, long frame) {
    LinkWeather before = this;
    return new LinkWeather() {
      @Override
      public long delayMicros(Direction asked, long at) {
        return before.delayMicros(asked, at);
      }

      @Override
      public boolean loses(Direction asked, long at) {
        return (asked == direction && at == frame) || before.loses(asked, at);
      }
    };
  }
}
