package dev.mover.deploy.wiring;

import dev.mover.api.error.MoverException;
import dev.mover.transport.link.RepositoryAddress;
import java.util.regex.Pattern;

/** A daemon's address that lacks its {@code mover://}, right or wrong. */
final class MeantAddress {
  /** A port at the end, brackets, or the scheme without its slashes. */
  private static final Pattern FORM =
      Pattern.compile("[^/]*:\\d+/?|\\[[^/]*](?::\\d*)?/?|(?i:mover):/?[^/]*");

  private static final Pattern SCHEME = Pattern.compile("^(?i:mover):/?");

  private MeantAddress() {}

  static boolean isOne(String text) {
    return FORM.matcher(text).matches();
  }

  /** What to write instead. */
  static String hint(String text) {
    String bare = SCHEME.matcher(text).replaceFirst("");
    try {
      return "did you mean %s?".formatted(RepositoryAddress.parse(RepositoryAddress.SCHEME + bare));
    } catch (MoverException e) {
      return "write it as mover://host:port";
    }
  }
}
