package dev.mover.dedup.domain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.InputException;
import dev.mover.api.error.KeyException;
import dev.mover.api.linux.LinuxFile;
import dev.mover.dedup.cipher.bc.KeyBox;
import dev.mover.dedup.digest.IdKey;
import dev.mover.dedup.domain.PasswordLock.Function;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Domain files as JSON: bytes in Base64, and last the SHA-256 of everything before it, which tells
 * a damaged file from a wrong password. Files are read and written by their owner only, and
 * replaced as a whole.
 */
public final class DomainJson {
  private static final String KIND = "mover-domain";
  private static final int VERSION = 1;
  private static final int MAX_BYTES = 16 << 20;
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private DomainJson() {}

  /**
   * Reads a domain file.
   *
   * @throws InputException BAD_USAGE when it can't be read, KEY_DAMAGED when it is none
   */
  public static DomainFile read(Path file) {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw damaged(file, "it is too long");
      }
      JsonNode json = JSON.readTree(Files.readAllBytes(file));
      if (!(json instanceof ObjectNode object) || !KIND.equals(json.path("kind").asText())) {
        throw damaged(file, "it is something else");
      }
      if (json.path("version").asInt() != VERSION) {
        throw damaged(file, "it is of a version that this mover does not know");
      }
      JsonNode sum = object.remove("sha256");
      if (sum == null || !sum.asText().equals(sha256(JSON.writeValueAsBytes(object)))) {
        throw damaged(file, "its checksum is wrong");
      }
      return parse(object);
    } catch (JsonProcessingException e) {
      throw damaged(file, "it is no JSON");
    } catch (NoSuchFileException e) {
      throw new InputException(ErrorCode.BAD_USAGE, file + ": there is no such domain file");
    } catch (IOException e) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "%s: can't be read: %s".formatted(file, e.getMessage()));
    } catch (IllegalArgumentException | DateTimeException e) {
      throw damaged(file, "a part of it can't be");
    }
  }

  /**
   * Writes a domain file that is not there yet.
   *
   * @throws InputException BAD_USAGE when it is, or can't be written
   */
  public static void create(Path file, DomainFile domain) {
    if (Files.exists(file)) {
      throw new InputException(
          ErrorCode.BAD_USAGE, file + ": is there already; it may be the only key to some backups");
    }
    replace(file, domain);
  }

  /** Writes a domain file, in place of the one there is: the old one or the new at any moment. */
  public static void replace(Path file, DomainFile domain) {
    ObjectNode json = format(domain);
    try {
      json.put("sha256", sha256(JSON.writeValueAsBytes(json)));
      writePrivately(file, JSON.writeValueAsBytes(json));
    } catch (IOException e) {
      throw new InputException(
          ErrorCode.BAD_USAGE, "%s: can't be written: %s".formatted(file, e.getMessage()));
    }
  }

  /** A file that only its owner reads; durable and whole, or not there. */
  public static void writePrivately(Path file, byte[] bytes) throws IOException {
    Path absolute = file.toAbsolutePath();
    Path folder = absolute.getParent();
    Path fresh = absolute.resolveSibling("." + absolute.getFileName() + "." + UUID.randomUUID());
    try {
      try (FileChannel out =
          FileChannel.open(
              fresh,
              Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        while (left.hasRemaining()) {
          out.write(left);
        }
        out.force(true);
      }
      Files.move(fresh, absolute, StandardCopyOption.ATOMIC_MOVE);
      if (folder != null) {
        LinuxFile.syncDirectory(folder);
      }
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  private static ObjectNode format(DomainFile domain) {
    ObjectNode json = JSON.createObjectNode();
    json.put("kind", KIND).put("version", VERSION).put("id", domain.id().toString());
    json.put("created", domain.created().toString());
    json.put("idKey", base64(domain.idKey())).put("sealKey", base64(domain.sealKey()));
    ArrayNode generations = json.putArray("keyPairs");
    for (Generation generation : domain.generations()) {
      ObjectNode node = generations.addObject();
      node.put("number", generation.number()).put("created", generation.created().toString());
      node.put("publicKey", base64(generation.publicKey()));
      ObjectNode shares = node.putObject("privateKeyFor");
      domain.unlockers().stream()
          .map(Unlocker::id)
          .filter(generation.shares()::containsKey)
          .forEach(id -> shares.put(id.toString(), base64(share(generation, id))));
    }
    ArrayNode unlockers = json.putArray("unlockers");
    for (Unlocker unlocker : domain.unlockers()) {
      ObjectNode node = unlockers.addObject();
      node.put("id", unlocker.id().toString()).put("name", unlocker.name());
      node.put("kind", unlocker.kind()).put("publicKey", base64(unlocker.publicKey()));
      unlocker
          .lock()
          .ifPresent(
              lock ->
                  node.put("function", lock.function().label())
                      .put("salt", base64(lock.salt()))
                      .put("memoryKiB", lock.memoryKiB())
                      .put("passes", lock.passes())
                      .put("lanes", lock.lanes())
                      .put("privateKey", base64(lock.locked())));
    }
    return json;
  }

  private static byte[] share(Generation generation, UUID unlocker) {
    byte[] share = generation.shares().get(unlocker);
    if (share == null) {
      throw new IllegalStateException("the share was there a moment ago");
    }
    return share;
  }

  private static DomainFile parse(ObjectNode json) {
    List<Generation> generations = new ArrayList<>();
    for (JsonNode node : json.path("keyPairs")) {
      Map<UUID, byte[]> shares = new HashMap<>();
      node.path("privateKeyFor")
          .properties()
          .forEach(
              share ->
                  shares.put(
                      UUID.fromString(share.getKey()),
                      bytes(share.getValue(), KeyBox.KEY_BYTES + KeyBox.OVERHEAD_BYTES)));
      generations.add(
          new Generation(
              node.path("number").asInt(),
              Instant.parse(node.path("created").asText()),
              bytes(node.path("publicKey"), KeyBox.KEY_BYTES),
              shares));
    }
    List<Unlocker> unlockers = new ArrayList<>();
    for (JsonNode node : json.path("unlockers")) {
      unlockers.add(
          new Unlocker(
              UUID.fromString(node.path("id").asText()),
              node.path("name").asText(),
              bytes(node.path("publicKey"), KeyBox.KEY_BYTES),
              lock(node)));
    }
    check(
        !generations.isEmpty()
            && generations.size() <= DomainFile.MAX_GENERATIONS
            && unlockers.size() <= DomainFile.MAX_UNLOCKERS);
    return new DomainFile(
        UUID.fromString(json.path("id").asText()),
        Instant.parse(json.path("created").asText()),
        bytes(json.path("idKey"), IdKey.BYTES),
        bytes(json.path("sealKey"), Seals.KEY_BYTES),
        generations,
        unlockers);
  }

  private static Optional<PasswordLock> lock(JsonNode node) {
    if (!node.path("kind").asText().equals("password")) {
      return Optional.empty();
    }
    PasswordLock lock =
        new PasswordLock(
            Function.named(node.path("function").asText())
                .orElseThrow(() -> new IllegalArgumentException("function")),
            bytes(node.path("salt"), PasswordLock.SALT_BYTES),
            node.path("memoryKiB").asInt(),
            node.path("passes").asInt(),
            node.path("lanes").asInt(),
            Base64.getDecoder().decode(node.path("privateKey").asText()));
    check(lock.isPossible());
    return Optional.of(lock);
  }

  private static byte[] bytes(JsonNode node, int length) {
    byte[] bytes = Base64.getDecoder().decode(node.asText());
    check(bytes.length == length);
    return bytes;
  }

  private static void check(boolean holds) {
    if (!holds) {
      throw new IllegalArgumentException("out of bounds");
    }
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  private static KeyException damaged(Path file, String what) {
    return new KeyException(
        ErrorCode.KEY_DAMAGED,
        "%s: is no sound domain file: %s; use a copy of it".formatted(file, what));
  }
}
