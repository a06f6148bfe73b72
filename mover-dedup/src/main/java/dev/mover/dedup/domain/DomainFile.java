package dev.mover.dedup.domain;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.error.KeyException;
import dev.mover.dedup.cipher.bc.KeyBox;
import dev.mover.dedup.digest.IdKey;
import dev.mover.dedup.domain.PasswordLock.Function;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * A key domain as its file holds it. Immutable: every change makes another, which {@link
 * DomainJson} writes.
 *
 * <p>The id key and the seal key stand in it openly, as whoever encrypts needs them: the file is to
 * be read by its owner only. The private keys are sealed to every unlocker's public key, so that a
 * new key pair needs nobody's password, and an unlocker that was revoked opens none made later.
 *
 * @param id never given to another domain
 * @param generations by number; at least one
 * @param unlockers none in a writer's copy
 */
public record DomainFile(
    UUID id,
    Instant created,
    byte[] idKey,
    byte[] sealKey,
    List<Generation> generations,
    List<Unlocker> unlockers) {
  /** Names of unlockers are for people. */
  public static final int MAX_NAME_CHARS = 64;

  public static final int MAX_UNLOCKERS = 64;
  public static final int MAX_GENERATIONS = 1000;

  private static final byte[] SHARE = "mover domain key 1".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] LOCK = "mover unlocker 1".getBytes(StandardCharsets.US_ASCII);

  public DomainFile {
    generations = List.copyOf(generations);
    unlockers = List.copyOf(unlockers);
  }

  /** A changed domain, and the key that was made for it, to be kept elsewhere. */
  public record WithKey(DomainFile file, PaperKey key) {}

  /** A new domain, unlocked with a password and with a recovery key that has been tried. */
  public static WithKey create(Password password, Function function) {
    UUID id = UUID.randomUUID();
    Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    DomainFile empty =
        new DomainFile(id, now, random(IdKey.BYTES), random(Seals.KEY_BYTES), List.of(), List.of());
    KeyBox.KeyPair first = KeyBox.newKeyPair();
    DomainFile begun =
        empty.with(List.of(new Generation(1, now, first.publicKey(), Map.of())), List.of());
    Map<Integer, byte[]> secrets = Map.of(1, first.privateKey());
    WithKey made =
        begun
            .add(password("password", id, password, function), secrets)
            .addKey("recovery", secrets);
    made.file().unlock(made.key());
    made.file().unlock(password);
    return made;
  }

  /** The key pair that new data is encrypted for. */
  public Generation newest() {
    return generations.getLast();
  }

  /** What encrypting takes. */
  public WriterKeys writerKeys() {
    return new WriterKeys(this);
  }

  /** Whether anything in it can be unlocked. */
  public boolean isWriterOnly() {
    return unlockers.isEmpty();
  }

  /** What a proxy that may only write is given: it can't be unlocked by anything. */
  public DomainFile writerOnly() {
    return with(
        generations.stream()
            .map(g -> new Generation(g.number(), g.created(), g.publicKey(), Map.of()))
            .toList(),
        List.of());
  }

  /**
   * Unlocks it.
   *
   * @throws KeyException WRONG_PASSWORD, OTHER_DOMAIN, KEY_DAMAGED, or DOMAIN_NEEDED when this is a
   *     writer's copy
   */
  public ReaderKeys unlock(Unlocking with) {
    Map<ByteBuffer, byte[]> byFingerprint = new HashMap<>();
    Map<Integer, byte[]> secrets = secrets(with);
    for (Generation generation : generations) {
      byFingerprint.put(
          ByteBuffer.wrap(WriterKeys.fingerprint(generation.publicKey())),
          secrets.get(generation.number()));
    }
    return new ReaderKeys(writerKeys(), byFingerprint);
  }

  /** One more password. */
  public DomainFile addPassword(String name, Unlocking with, Password more, Function function) {
    return add(password(name, id, more, function), secrets(with));
  }

  /** One more key file. */
  public WithKey addKey(String name, Unlocking with) {
    return addKey(name, secrets(with));
  }

  /** Another password in place of the one that it is unlocked with. */
  public DomainFile changePassword(Password old, Password fresh, Function function) {
    if (isWriterOnly()) {
      throw writerOnlyError();
    }
    Unlocker before =
        unlockers.stream()
            .filter(u -> u.lock().flatMap(l -> l.open(old, lockContext(id, u.id()))).isPresent())
            .findFirst()
            .orElseThrow(DomainFile::wrongPassword);
    Map<Integer, byte[]> secrets = secrets(old);
    return without(before.name()).add(password(before.name(), id, fresh, function), secrets);
  }

  /**
   * Takes an unlocker out of the file. Whoever has an older copy of the file can still use it
   * there.
   *
   * @throws InputException BAD_USAGE when there is none of that name, or it is the last
   */
  public DomainFile revoke(String name) {
    DomainFile left = without(name);
    if (left.unlockers.size() == unlockers.size()) {
      throw new InputException(
          ErrorCode.BAD_USAGE,
          "the domain has no password or key called %s; 'mover domain show' lists them"
              .formatted(name));
    }
    if (left.isWriterOnly()) {
      throw new InputException(
          ErrorCode.BAD_USAGE,
          "%s is the last that unlocks the domain: without it no point could be restored; add another first"
              .formatted(name));
    }
    return left;
  }

  /**
   * A new key pair for what is written from now on; blocks are shared as before. Nobody's password
   * is needed.
   */
  public DomainFile rotate() {
    if (isWriterOnly()) {
      throw writerOnlyError();
    }
    if (generations.size() == MAX_GENERATIONS) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "a domain has at most " + MAX_GENERATIONS + " key pairs");
    }
    KeyBox.KeyPair pair = KeyBox.newKeyPair();
    int number = newest().number() + 1;
    Map<UUID, byte[]> shares = new HashMap<>();
    unlockers.forEach(u -> shares.put(u.id(), share(u, number, pair.privateKey())));
    List<Generation> more = new ArrayList<>(generations);
    more.add(
        new Generation(
            number, Instant.now().truncatedTo(ChronoUnit.SECONDS), pair.publicKey(), shares));
    return with(more, unlockers);
  }

  private DomainFile with(List<Generation> someGenerations, List<Unlocker> someUnlockers) {
    return new DomainFile(id, created, idKey, sealKey, someGenerations, someUnlockers);
  }

  private static Unlocker password(String name, UUID domain, Password password, Function function) {
    KeyBox.KeyPair pair = KeyBox.newKeyPair();
    UUID id = UUID.randomUUID();
    PasswordLock lock =
        PasswordLock.lock(
            function,
            random(PasswordLock.SALT_BYTES),
            password,
            lockContext(domain, id),
            pair.privateKey());
    return new Unlocker(id, name, pair.publicKey(), Optional.of(lock));
  }

  private WithKey addKey(String name, Map<Integer, byte[]> secrets) {
    KeyBox.KeyPair pair = KeyBox.newKeyPair();
    Unlocker unlocker = new Unlocker(UUID.randomUUID(), name, pair.publicKey(), Optional.empty());
    return new WithKey(add(unlocker, secrets), new PaperKey(id, pair.privateKey()));
  }

  private DomainFile add(Unlocker added, Map<Integer, byte[]> secrets) {
    if (unlockers.stream().anyMatch(u -> u.name().equals(added.name()))) {
      throw new InputException(
          ErrorCode.BAD_USAGE,
          "the domain has a password or key called %s".formatted(added.name()));
    }
    if (added.name().isBlank()
        || added.name().length() > MAX_NAME_CHARS
        || unlockers.size() == MAX_UNLOCKERS) {
      throw new InputException(
          ErrorCode.BAD_USAGE,
          "a name has 1 to %d characters, a domain at most %d passwords and keys"
              .formatted(MAX_NAME_CHARS, MAX_UNLOCKERS));
    }
    List<Unlocker> more = new ArrayList<>(unlockers);
    more.add(added);
    return with(
        generations.stream()
            .map(
                g -> {
                  Map<UUID, byte[]> shares = new HashMap<>(g.shares());
                  shares.put(added.id(), share(added, g.number(), secret(secrets, g.number())));
                  return new Generation(g.number(), g.created(), g.publicKey(), shares);
                })
            .toList(),
        more);
  }

  private DomainFile without(String name) {
    List<Unlocker> left = unlockers.stream().filter(u -> !u.name().equals(name)).toList();
    List<UUID> ids = left.stream().map(Unlocker::id).toList();
    return with(
        generations.stream()
            .map(
                g -> {
                  Map<UUID, byte[]> shares = new HashMap<>(g.shares());
                  shares.keySet().retainAll(ids);
                  return new Generation(g.number(), g.created(), g.publicKey(), shares);
                })
            .toList(),
        left);
  }

  /** The private keys by generation. */
  private Map<Integer, byte[]> secrets(Unlocking with) {
    if (isWriterOnly()) {
      throw writerOnlyError();
    }
    return switch (with) {
      case Password password -> secrets(password);
      case PaperKey key -> secrets(key);
    };
  }

  private Map<Integer, byte[]> secrets(Password password) {
    for (Unlocker unlocker : unlockers) {
      Optional<byte[]> privateKey =
          unlocker.lock().flatMap(lock -> lock.open(password, lockContext(id, unlocker.id())));
      if (privateKey.isPresent()) {
        return secrets(unlocker, privateKey.get());
      }
    }
    throw wrongPassword();
  }

  private Map<Integer, byte[]> secrets(PaperKey key) {
    if (!key.isOf(id)) {
      throw new KeyException(
          ErrorCode.OTHER_DOMAIN, "that key belongs to another domain than %s".formatted(id));
    }
    byte[] publicKey = KeyBox.publicKey(key.privateKey());
    Unlocker unlocker =
        unlockers.stream()
            .filter(u -> Arrays.equals(u.publicKey(), publicKey))
            .findFirst()
            .orElseThrow(
                () ->
                    new KeyException(
                        ErrorCode.OTHER_DOMAIN,
                        "that key was revoked, or added after this copy of the domain file was made"));
    return secrets(unlocker, key.privateKey());
  }

  private Map<Integer, byte[]> secrets(Unlocker unlocker, byte[] privateKey) {
    Map<Integer, byte[]> secrets = new HashMap<>();
    for (Generation generation : generations) {
      byte[] secret =
          Optional.ofNullable(generation.shares().get(unlocker.id()))
              .flatMap(
                  box ->
                      KeyBox.open(
                          privateKey, shareContext(unlocker.id(), generation.number()), box))
              .filter(s -> Arrays.equals(KeyBox.publicKey(s), generation.publicKey()))
              .orElseThrow(
                  () ->
                      new KeyException(
                          ErrorCode.KEY_DAMAGED,
                          "the domain file is damaged: key pair %d can't be opened by %s; use a copy of the file"
                              .formatted(generation.number(), unlocker.name())));
      secrets.put(generation.number(), secret);
    }
    return secrets;
  }

  private byte[] share(Unlocker unlocker, int generation, byte[] secret) {
    return KeyBox.seal(unlocker.publicKey(), shareContext(unlocker.id(), generation), secret);
  }

  private byte[] shareContext(UUID unlocker, int generation) {
    return put(ByteBuffer.allocate(SHARE.length + 36).put(SHARE), id, unlocker)
        .putInt(generation)
        .array();
  }

  private static byte[] lockContext(UUID domain, UUID unlocker) {
    return put(ByteBuffer.allocate(LOCK.length + 32).put(LOCK), domain, unlocker).array();
  }

  private static ByteBuffer put(ByteBuffer out, UUID first, UUID second) {
    return out.putLong(first.getMostSignificantBits())
        .putLong(first.getLeastSignificantBits())
        .putLong(second.getMostSignificantBits())
        .putLong(second.getLeastSignificantBits());
  }

  private static byte[] secret(Map<Integer, byte[]> secrets, int generation) {
    byte[] secret = secrets.get(generation);
    if (secret == null) {
      throw new IllegalStateException("key pair " + generation + " was not unlocked");
    }
    return secret;
  }

  private static byte[] random(int bytes) {
    byte[] random = new byte[bytes];
    new SecureRandom().nextBytes(random);
    return random;
  }

  private static KeyException wrongPassword() {
    return new KeyException(
        ErrorCode.WRONG_PASSWORD,
        "that password does not unlock the domain; check it, or the file");
  }

  private static KeyException writerOnlyError() {
    return new KeyException(
        ErrorCode.DOMAIN_NEEDED,
        "this is a writer's copy of the domain: it encrypts and can't decrypt; use the domain file itself");
  }
}
