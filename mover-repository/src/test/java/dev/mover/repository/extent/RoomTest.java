package dev.mover.repository.extent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.point.Name;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RoomTest {
  private static final Name WEB = new Name("web");

  /** Of 1,000 bytes, of which 10 are spare. */
  private final AtomicLong free = new AtomicLong(110);

  /** Becomes free when it settles. */
  private final AtomicLong deleted = new AtomicLong();

  private final Room room =
      new Room(
          new Room.Space() {
            @Override
            public long capacityBytes() {
              return 1000;
            }

            @Override
            public long freeBytes() {
              return free.get();
            }

            @Override
            public void settle() {
              free.addAndGet(deleted.getAndSet(0));
            }
          });

  private void assertRefused(long expected, long missing) {
    assertThatThrownBy(() -> room.reserve(WEB, expected).close())
        .isInstanceOfSatisfying(
            RepositoryException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.REPOSITORY_FULL))
        .hasMessageContaining("web")
        .hasMessageContaining(missing + " bytes are missing");
  }

  @Test
  void letsInWhatFitsBesideTheSpareRoom() {
    assertRefused(101, 1);
    room.reserve(WEB, 100).close();
  }

  @Test
  void countsWhatOthersWillWriteStill() {
    AtomicLong written = new AtomicLong();
    try (Room.Reservation first = room.reserve(WEB, 60)) {
      first.countDown(written::get);
      assertRefused(50, 10);
      written.set(20);
      free.set(90);
      assertRefused(50, 10);
      room.reserve(WEB, 40).close();
      written.set(70); // more than expected
      free.set(40);
      assertRefused(31, 1);
      room.reserve(WEB, 30).close();
    }
    room.reserve(WEB, 30).close();
  }

  @Test
  void countsWhatWasDeletedALittleAgo() {
    deleted.set(50);
    room.reserve(WEB, 150).close();
    assertRefused(151, 1);
  }

  @Test
  void forgetsWhoLeft() {
    room.reserve(WEB, 100).close();
    room.reserve(WEB, 100).close();
  }

  @Test
  void refusesNobodyWhenItCannotTell() {
    free.set(-1);
    try (Room.Reservation any = room.reserve(WEB, Long.MAX_VALUE / 2)) {
      assertThat(any).isNotNull();
    }
  }

  @Test
  void refusesAllWhenNothingIsFree() {
    free.set(0);
    assertRefused(0, 10);
  }
}
