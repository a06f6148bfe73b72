package dev.mover.deploy.cli;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.status.Status;
import dev.mover.dedup.domain.DomainFile;
import dev.mover.dedup.domain.DomainJson;
import dev.mover.dedup.domain.PaperKey;
import dev.mover.dedup.domain.Password;
import dev.mover.dedup.domain.PasswordLock.Function;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "domain",
    description =
        "Makes and changes key domains. A domain file is all it takes to encrypt backups; a password"
            + " or a key besides is what it takes to read them. Lose all of these, and every backup"
            + " of the domain is lost.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Changing, adding and revoking passwords and keys changes the file and no backup. Whoever was"
          + " revoked can still read, with an older copy of the file, what was written before the"
          + " next 'rotate'.",
      "",
      "Examples:",
      "  mover domain create company.domain --recovery-file recovery.txt",
      "  mover backup disk.img --machine web --to /backup --domain company.domain",
      "  mover domain writer-copy company.domain for-the-proxies.domain",
      "  mover restore --machine web --from /backup --domain company.domain web.img"
    })
final class DomainCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin
  @SuppressWarnings("UnusedVariable") // for --help
  private CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    CommandLine line = spec.commandLine();
    line.usage(line.getErr());
    return Status.EXIT_USAGE;
  }

  @Command(
      name = "create",
      mixinStandardHelpOptions = true,
      description =
          "Makes a domain, unlocked by a password and by a recovery key, which is shown once: print it"
              + " and keep it where the backups are not.")
  int create(
      @Parameters(paramLabel = "FILE", description = "Domain file to create.") Path file,
      @Mixin UnlockOptions unlock,
      @Option(
              names = "--recovery-file",
              paramLabel = "F",
              description = "Write the recovery key to this file instead of showing it.")
          @Nullable Path recovery,
      @Option(
              names = "--password-function",
              paramLabel = "HOW",
              defaultValue = "argon2id",
              description = "argon2id or pbkdf2 (default: ${DEFAULT-VALUE}).")
          String function) {
    refuseExisting(file);
    DomainFile.WithKey made = DomainFile.create(unlock.newPassword(), function(function));
    hand(made.key(), recovery, "Recovery key; it unlocks the domain as the password does:");
    DomainJson.create(file, made.file());
    out().printf("domain %s in %s%n", made.file().id(), file);
    return Status.SUCCESS.exitCode();
  }

  @Command(
      name = "show",
      mixinStandardHelpOptions = true,
      description = "Shows a domain's id, key pairs, passwords and keys.")
  int show(@Parameters(paramLabel = "FILE", description = "Domain file.") Path file) {
    DomainFile domain = DomainJson.read(file);
    out().printf("domain %s, created %s%n", domain.id(), domain.created());
    domain
        .generations()
        .forEach(g -> out().printf("  key pair %d, since %s%n", g.number(), g.created()));
    domain
        .unlockers()
        .forEach(u -> out().printf("  %s %s%n", u.kind(), Failures.oneLine(u.name())));
    if (domain.isWriterOnly()) {
      out().println("  a writer's copy: encrypts, and can't decrypt");
    }
    return Status.SUCCESS.exitCode();
  }

  @Command(
      name = "check",
      mixinStandardHelpOptions = true,
      description = "Says whether a password, a key or the recovery key unlocks a domain.")
  int check(
      @Parameters(paramLabel = "FILE", description = "Domain file.") Path file,
      @Mixin UnlockOptions unlock) {
    DomainFile domain = DomainJson.read(file);
    domain.unlock(unlock.unlocking());
    out().printf("it unlocks domain %s%n", domain.id());
    return Status.SUCCESS.exitCode();
  }

  @Command(
      name = "add-password",
      mixinStandardHelpOptions = true,
      description = "Adds a password to a domain.")
  int addPassword(
      @Parameters(index = "0", paramLabel = "FILE", description = "Domain file.") Path file,
      @Parameters(index = "1", paramLabel = "NAME", description = "What to call it.") String name,
      @Mixin UnlockOptions unlock,
      @Mixin NewPasswordOptions fresh) {
    DomainFile domain = DomainJson.read(file);
    DomainJson.replace(
        file, domain.addPassword(name, unlock.unlocking(), fresh.password(), fresh.function()));
    return Status.SUCCESS.exitCode();
  }

  @Command(
      name = "add-key",
      mixinStandardHelpOptions = true,
      description = "Adds a key file to a domain.")
  int addKey(
      @Parameters(index = "0", paramLabel = "FILE", description = "Domain file.") Path file,
      @Parameters(index = "1", paramLabel = "NAME", description = "What to call it.") String name,
      @Parameters(index = "2", paramLabel = "KEY", description = "Key file to create.") Path key,
      @Mixin UnlockOptions unlock) {
    DomainFile.WithKey made = DomainJson.read(file).addKey(name, unlock.unlocking());
    hand(made.key(), key, "");
    DomainJson.replace(file, made.file());
    return Status.SUCCESS.exitCode();
  }

  @Command(
      name = "change-password",
      mixinStandardHelpOptions = true,
      description = "Puts another password in place of one.")
  int changePassword(
      @Parameters(paramLabel = "FILE", description = "Domain file.") Path file,
      @Mixin UnlockOptions unlock,
      @Mixin NewPasswordOptions fresh) {
    DomainFile domain = DomainJson.read(file);
    Password old = unlock.password();
    DomainJson.replace(file, domain.changePassword(old, fresh.password(), fresh.function()));
    return Status.SUCCESS.exitCode();
  }

  @Command(
      name = "revoke",
      mixinStandardHelpOptions = true,
      description =
          "Takes a password or key out of a domain file. Copies of the file that others have stay as"
              + " they are: 'rotate' next, and they open nothing written from then on.")
  int revoke(
      @Parameters(index = "0", paramLabel = "FILE", description = "Domain file.") Path file,
      @Parameters(index = "1", paramLabel = "NAME", description = "Which one.") String name) {
    DomainJson.replace(file, DomainJson.read(file).revoke(name));
    return Status.SUCCESS.exitCode();
  }

  @Command(
      name = "rotate",
      mixinStandardHelpOptions = true,
      description =
          "Makes a new key pair for what is written from now on. Give the proxies the new file, or a"
              + " new writer's copy.")
  int rotate(@Parameters(paramLabel = "FILE", description = "Domain file.") Path file) {
    DomainFile rotated = DomainJson.read(file).rotate();
    DomainJson.replace(file, rotated);
    out().printf("key pair %d%n", rotated.newest().number());
    return Status.SUCCESS.exitCode();
  }

  @Command(
      name = "writer-copy",
      mixinStandardHelpOptions = true,
      description = "Makes a copy for proxies that may only write: nothing decrypts with it.")
  int writerCopy(
      @Parameters(index = "0", paramLabel = "FILE", description = "Domain file.") Path file,
      @Parameters(index = "1", paramLabel = "COPY", description = "File to create.") Path copy) {
    DomainJson.create(copy, DomainJson.read(file).writerOnly());
    return Status.SUCCESS.exitCode();
  }

  /** A second password. */
  static final class NewPasswordOptions {
    static final String ENVIRONMENT = "MOVER_DOMAIN_NEW_PASSWORD";

    @Option(
        names = "--new-password-file",
        paramLabel = "F",
        description = {
          "File whose first line is the new password.",
          "Without it: the variable " + ENVIRONMENT + ", or a prompt."
        })
    private @Nullable Path file;

    @Option(
        names = "--password-function",
        paramLabel = "HOW",
        defaultValue = "argon2id",
        description = "argon2id or pbkdf2 (default: ${DEFAULT-VALUE}).")
    private String function = "argon2id";

    Password password() {
      return UnlockOptions.askTwice(file, ENVIRONMENT, "New password: ");
    }

    Function function() {
      return DomainCommand.function(function);
    }
  }

  private static Function function(String name) {
    return Function.named(name)
        .orElseThrow(
            () ->
                new InputException(
                    ErrorCode.BAD_USAGE,
                    "--password-function takes argon2id or pbkdf2, not " + Failures.oneLine(name)));
  }

  private static void refuseExisting(Path file) {
    if (Files.exists(file)) {
      throw new InputException(
          ErrorCode.BAD_USAGE, file + ": is there already; it may be the only key to some backups");
    }
  }

  /** Gives a key to its owner, in a file or on paper, before the domain relies on it. */
  private void hand(PaperKey key, @Nullable Path file, String title) {
    if (file == null) {
      out().printf("%s%n%n%s%n", title, key.text().indent(4));
      return;
    }
    refuseExisting(file);
    try {
      DomainJson.writePrivately(file, key.text().getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "%s: can't be written: %s".formatted(file, e.getMessage()));
    }
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
