package dev.mover.api.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ErrorCodeTest {
  @Test
  void givesEachCodeANumberOfItsOwn() {
    assertThat(Arrays.stream(ErrorCode.values()).map(ErrorCode::number)).doesNotHaveDuplicates();
    assertThat(ErrorCode.of(1)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void carriesEveryCodeAndMessageOverTheWire(ErrorCode code) {
    MoverException e = MoverException.of(code, Side.REPOSITORY, "why");
    assertThat(ErrorCode.of(code.number())).contains(code);
    assertThat(e.code()).isEqualTo(code);
    assertThat(e.retry()).isEqualTo(code.retry());
    assertThat(e).hasMessage("why");
    assertThat(e.getClass().getSimpleName())
        .isEqualTo(
            switch (code.number() / 100) {
              case 1 -> "InputException";
              case 2 -> "SourceException";
              case 3 -> "RepositoryException";
              case 4 -> "LinkException";
              case 5 -> "DataException";
              case 6 -> "TargetException";
              case 8 -> "KeyException";
              default -> "LimitException";
            });
  }
}
