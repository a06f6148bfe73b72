package dev.mover.itests;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import dev.mover.testkit.Walls;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The walls of docs/architecture.md over all modules at once. Each is also shown to fail: for a
 * class made for it that stands on the wrong side.
 */
class WallsTest {
  private static final JavaClasses SHIPPED =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("dev.mover");

  @TempDir private Path folder = Path.of("");

  /**
   * @param offender package of a class that breaks the rule by using the type {@code offended}
   */
  record Wall(ArchRule rule, String offender, String offended) {
    static Wall library(String name, String... homes) {
      String[] within = Stream.of(homes).map(home -> home + "..").toArray(String[]::new);
      return new Wall(Walls.onlyIn(name + "..", within), "dev.mover.intruder", name + ".Anything");
    }

    static Wall between(String from, String to) {
      return new Wall(Walls.never(from + "..", to + ".."), from, to + ".Anything");
    }

    /** Memory segments are everybody's, by way of the block buffers; calling out of Java is not. */
    static Wall nativeCalls() {
      String linker = "java.lang.foreign.Linker";
      ArchRule rule =
          noClasses()
              .that()
              .resideOutsideOfPackage("dev.mover.api.linux..")
              .should()
              .dependOnClassesThat()
              .haveFullyQualifiedName(linker)
              .as("system calls are made in dev.mover.api.linux only");
      return new Wall(rule, "dev.mover.intruder", linker);
    }

    @Override
    public String toString() {
      return rule.getDescription();
    }
  }

  static Stream<Wall> libraries() {
    String netty = "dev.mover.transport.netty";
    String http = "dev.mover.transport.http";
    return Stream.of(
        Wall.library("io.netty", netty, http),
        Wall.library("reactor.netty", netty, http),
        Wall.library("org.rocksdb", "dev.mover.dedup.index.rocks"),
        Wall.library("com.github.luben", "dev.mover.dedup.codec.zstd"),
        Wall.nativeCalls(),
        Wall.library("picocli", "dev.mover.deploy.cli"),
        Wall.library("com.fasterxml.jackson.dataformat", "dev.mover.deploy.daemon"));
  }

  /** Who may not know whom; what is not listed is allowed. */
  static Stream<Wall> modules() {
    String api = "dev.mover.api";
    String transport = "dev.mover.transport";
    String dedup = "dev.mover.dedup";
    String proxy = "dev.mover.proxy";
    String repository = "dev.mover.repository";
    String deploy = "dev.mover.deploy";
    return Stream.of(
            walls(api, transport, dedup, proxy, repository, deploy),
            walls(transport, dedup, proxy, repository, deploy),
            walls(dedup, transport, proxy, repository, deploy),
            walls(proxy, repository, deploy),
            walls(repository, proxy, deploy),
            walls(deploy + ".wiring", deploy + ".cli", deploy + ".demo"),
            walls(deploy + ".demo", deploy + ".cli", deploy + ".wiring", proxy, repository),
            walls(deploy + ".bench", deploy + ".cli", deploy + ".demo", repository),
            walls(deploy + ".host", deploy + ".cli", deploy + ".bench", proxy, repository))
        .flatMap(List::stream);
  }

  private static List<Wall> walls(String from, String... to) {
    return Stream.of(to).map(other -> Wall.between(from, other)).toList();
  }

  @ParameterizedTest
  @MethodSource({"libraries", "modules"})
  void standsAndCanFall(Wall wall) throws IOException {
    wall.rule.check(SHIPPED);

    JavaClasses intruder = intruder(wall);
    assertThatThrownBy(() -> wall.rule.check(intruder)).hasMessageContaining("was violated");
  }

  @ParameterizedTest
  @MethodSource("dev.mover.testkit.Walls#house")
  void allModulesKeepTheHouseRules(ArchRule rule) {
    rule.check(SHIPPED);
  }

  @Test
  void everyModuleIsLookedAt() {
    for (String module : List.of("api", "transport", "dedup", "proxy", "repository", "deploy")) {
      assertThat(SHIPPED.stream())
          .anyMatch(type -> type.getPackageName().startsWith("dev.mover." + module));
    }
  }

  private JavaClasses intruder(Wall wall) throws IOException {
    byte[] bytes =
        ClassFile.of()
            .build(
                ClassDesc.of(wall.offender + ".Intruder"),
                type -> type.withField("f", ClassDesc.of(wall.offended), 0));
    Path file = folder.resolve("Intruder.class");
    Files.write(file, bytes);
    return new ClassFileImporter().importPath(folder);
  }
}
