package dev.mover.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each test that docs/reliability.md names is there: a promise without its test is none. */
class ReliabilityPageTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern OF_A_CLASS =
      Pattern.compile("(\\w+(?:Test|IT|Contract))(?:\\.(\\w+)(\\*?))?");
  private static final Pattern METHOD = Pattern.compile("[a-z]\\w+[A-Z]\\w+");
  private static final Pattern DECLARED = Pattern.compile("\\bvoid (\\w+)\\(");

  @Test
  void namesOnlyTestsThatThereAre() throws IOException {
    Map<String, List<String>> tests = tests();
    List<String> named = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    for (String line : Files.readAllLines(ROOT.resolve("docs/reliability.md"))) {
      String shownBy = line.substring(line.stripTrailing().lastIndexOf('|', line.length() - 3) + 1);
      String last = "";
      Matcher code = CODE.matcher(line.startsWith("|") ? shownBy : "");
      while (code.find()) {
        Matcher ofClass = OF_A_CLASS.matcher(code.group(1));
        String method = "";
        if (ofClass.matches()) {
          last = ofClass.group(1);
          method = ofClass.group(2) == null ? "" : ofClass.group(2) + ofClass.group(3);
        } else if (METHOD.matcher(code.group(1)).matches()) {
          method = code.group(1);
        } else {
          continue;
        }
        named.add(last + "." + method);
        if (!isThere(tests, last, method)) {
          missing.add(last + "." + method);
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(named).hasSizeGreaterThan(60);
  }

  private static boolean isThere(Map<String, List<String>> tests, String test, String method) {
    List<String> methods = tests.getOrDefault(test, List.of());
    return method.endsWith("*")
        ? methods.stream().anyMatch(m -> m.startsWith(method.substring(0, method.length() - 1)))
        : tests.containsKey(test) && (method.isEmpty() || methods.contains(method));
  }

  /** Methods of each class in a test folder, by the class's simple name. */
  private static Map<String, List<String>> tests() throws IOException {
    Map<String, List<String>> found = new HashMap<>();
    try (Stream<Path> files = Files.walk(ROOT)) {
      for (Path file :
          files
              .filter(f -> f.toString().contains("/src/test/java/"))
              .filter(f -> f.toString().endsWith(".java"))
              .toList()) {
        String name = file.getFileName().toString();
        found.put(
            name.substring(0, name.length() - ".java".length()),
            DECLARED
                .matcher(Files.readString(file))
                .results()
                .map(m -> m.group(1))
                .collect(Collectors.toList()));
      }
    }
    return found;
  }
}
