package dev.mover.testkit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;

/**
 * The walls between packages, as ArchUnit rules. Packages are written as ArchUnit does: {@code
 * org.rocksdb..} is the package and all below it. Each rule's test also shows that it can fail,
 * with {@link #assertBreaks}.
 */
public final class Walls {
  private static final String FLUX = "reactor.core.publisher.Flux";
  private static final String MONO = "reactor.core.publisher.Mono";
  private static final String CONSUMER = "java.util.function.Consumer";

  private Walls() {}

  /** The shipped classes of a package and all below it; tests and fixtures are left out. */
  public static JavaClasses shipped(String... packages) {
    return new ClassFileImporter()
        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
        .importPackages(packages);
  }

  /** Only {@code homes} may use {@code library}. */
  public static ArchRule onlyIn(String library, String... homes) {
    return noClasses()
        .that()
        .resideOutsideOfPackages(homes)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(library)
        .as(library + " is used only in " + String.join(", ", homes))
        .allowEmptyShould(true);
  }

  /** Nothing in {@code from} may use anything in {@code to}. */
  public static ArchRule never(String from, String to) {
    return noClasses()
        .that()
        .resideInAPackage(from)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(to)
        .as(from + " doesn't know " + to)
        .allowEmptyShould(true);
  }

  /** What holds in every module: the house rules on Reactor, threads and names. */
  public static List<ArchRule> house() {
    return List.of(noUnboundedQueues(), noLostErrors(), noInterrupts(), plainNames());
  }

  static ArchRule noUnboundedQueues() {
    return noClasses()
        .should()
        .callMethod("reactor.core.scheduler.Schedulers", "boundedElastic")
        .orShould()
        .callMethod(FLUX, "onBackpressureBuffer")
        .as("no boundedElastic (100,000 queued tasks) and no unbounded onBackpressureBuffer")
        .allowEmptyShould(true);
  }

  static ArchRule noLostErrors() {
    return noClasses()
        .should()
        .callMethod(FLUX, "subscribe")
        .orShould()
        .callMethod(FLUX, "subscribe", CONSUMER)
        .orShould()
        .callMethod(MONO, "subscribe")
        .orShould()
        .callMethod(MONO, "subscribe", CONSUMER)
        .as("who subscribes handles errors")
        .allowEmptyShould(true);
  }

  static ArchRule noInterrupts() {
    return noClasses()
        .should()
        .callMethod(Thread.class, "interrupt")
        .orShould()
        .callMethod("java.util.concurrent.ExecutorService", "shutdownNow")
        .as("cancel is a flag, never an interrupt")
        .allowEmptyShould(true);
  }

  static ArchRule plainNames() {
    return classes()
        .should()
        .haveNameNotMatching(".*(Util|Utils|Manager|Helper|Impl|Base)")
        .as("names tell what a class does for a backup")
        .allowEmptyShould(true);
  }

  /** Shows that {@code rule} can fail: it does for {@code fixture}. */
  public static void assertBreaks(ArchRule rule, Class<?>... fixture) {
    JavaClasses broken = new ClassFileImporter().importClasses(fixture);
    assertThatThrownBy(() -> rule.check(broken))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("was violated");
  }
}
