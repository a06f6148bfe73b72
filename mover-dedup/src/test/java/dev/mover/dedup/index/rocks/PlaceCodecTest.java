package dev.mover.dedup.index.rocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mover.dedup.index.BlockPlace;
import dev.mover.testkit.Seeds;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PlaceCodecTest {
  private static final UUID FILE = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");

  @Test
  void keepsEveryPlace() {
    Seeds.check(
        500,
        random -> {
          BlockPlace place =
              new BlockPlace(
                  new UUID(random.nextLong(), random.nextLong()),
                  random.nextLong(1L << 40) * 4096,
                  random.nextInt(1 << 24),
                  random.nextBoolean() ? 0 : random.nextInt(1 << 16));
          assertThat(PlaceCodec.decode(PlaceCodec.encode(place))).isEqualTo(place);
        });
  }

  @Test
  void staysReadableForLaterVersions() {
    assertThat(HexFormat.of().formatHex(PlaceCodec.encode(new BlockPlace(FILE, 8192, 0x010203, 0))))
        .isEqualTo("00112233445566778899aabbccddeeff" + "0000000002" + "010203");
    assertThat(
            HexFormat.of().formatHex(PlaceCodec.encode(new BlockPlace(FILE, 8192, 0x010203, 258))))
        .isEqualTo("00112233445566778899aabbccddeeff" + "0000000002" + "010203" + "0102");
  }

  @Test
  void refusesWhatIsNoSlot() {
    for (BlockPlace none :
        new BlockPlace[] {
          new BlockPlace(FILE, 4095, 1, 0),
          new BlockPlace(FILE, -4096, 1, 0),
          new BlockPlace(FILE, 1L << 52, 1, 0),
          new BlockPlace(FILE, 0, 1 << 24, 0),
          new BlockPlace(FILE, 0, -1, 0),
          new BlockPlace(FILE, 0, 1, -1),
          new BlockPlace(FILE, 0, 1, 1 << 16)
        }) {
      assertThatThrownBy(() -> PlaceCodec.encode(none))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
