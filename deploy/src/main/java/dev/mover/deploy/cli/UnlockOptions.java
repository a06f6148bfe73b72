package dev.mover.deploy.cli;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.dedup.domain.PaperKey;
import dev.mover.dedup.domain.Password;
import dev.mover.dedup.domain.Unlocking;
import java.io.Console;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a key domain is unlocked with. A password never stands on a command line. */
final class UnlockOptions {
  static final String ENVIRONMENT = "MOVER_DOMAIN_PASSWORD";

  @Option(
      names = "--password-file",
      paramLabel = "F",
      description = {
        "File whose first line is the domain's password.",
        "Without it: the variable " + ENVIRONMENT + ", or a prompt."
      })
  private @Nullable Path passwordFile;

  @Option(
      names = "--key-file",
      paramLabel = "F",
      description = "File with a key or the recovery key, instead of a password.")
  private @Nullable Path keyFile;

  Unlocking unlocking() {
    if (keyFile != null && passwordFile != null) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "one of --password-file and --key-file is enough");
    }
    return keyFile == null ? password() : PaperKey.fromFile(keyFile);
  }

  /** Whether something was named that unlocks. */
  boolean isGiven() {
    return keyFile != null || passwordFile != null;
  }

  /** The password, from wherever it comes. */
  Password password() {
    checkNoKey();
    return ask(passwordFile, ENVIRONMENT, "Password of the domain: ");
  }

  /** One for a domain that is made now: at a prompt it is typed twice. */
  Password newPassword() {
    checkNoKey();
    return askTwice(passwordFile, ENVIRONMENT, "Password of the new domain: ");
  }

  private void checkNoKey() {
    if (keyFile != null) {
      throw new InputException(ErrorCode.BAD_USAGE, "this takes a password, not a key file");
    }
  }

  /** As {@link #ask}, and what is typed is typed once more: nobody has seen it. */
  static Password askTwice(@Nullable Path file, String variable, String prompt) {
    Password password = ask(file, variable, prompt);
    if (file == null
        && System.getenv(variable) == null
        && !ask(null, variable, "The same again: ").isSameAs(password)) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "the two passwords differ; nothing was changed");
    }
    return password;
  }

  /**
   * A password from a file, the environment, or a prompt.
   *
   * @throws InputException BAD_USAGE when there is none of them
   */
  static Password ask(@Nullable Path file, String variable, String prompt) {
    if (file != null) {
      return Password.fromFile(file);
    }
    String fromEnvironment = System.getenv(variable);
    if (fromEnvironment != null) {
      return new Password(fromEnvironment);
    }
    return Optional.ofNullable(System.console())
        .filter(Console::isTerminal)
        .map(console -> console.readPassword("%s", prompt))
        .map(typed -> new Password(new String(typed)))
        .orElseThrow(
            () ->
                new InputException(
                    ErrorCode.BAD_USAGE,
                    "there is no terminal to ask for a password; name a file, or set " + variable));
  }
}
