package dev.mover.deploy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mover.deploy.daemon.ProxyConfig;
import dev.mover.deploy.daemon.ProxyDaemon;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobsCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final Path folder;
  private final ProxyDaemon daemon;

  JobsCommandTest(@TempDir Path folder) {
    this.folder = folder;
    daemon = ProxyDaemon.start(ProxyConfig.onFreePort(folder.resolve("state")));
  }

  @AfterEach
  void close() {
    daemon.close();
  }

  private int run(String... args) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return Main.run(args, new PrintWriter(out, true), new PrintWriter(err, true));
  }

  private int jobs(String... args) {
    String[] all = new String[args.length + 3];
    all[0] = "jobs";
    System.arraycopy(args, 0, all, 1, args.length);
    all[args.length + 1] = "--proxy";
    all[args.length + 2] = daemon.url();
    return run(all);
  }

  @Test
  void submitsWatchesShowsAndListsAJob() throws Exception {
    Path disk = Files.write(folder.resolve("sda"), new byte[3 << 20]);
    String repo = folder.resolve("repo").toString();
    assertThat(jobs("list")).isZero();
    assertThat(out).hasToString("no jobs" + System.lineSeparator());

    int code = jobs("submit", "root=" + disk, "--machine", "web", "--to", repo, "--watch");
    assertThat(code).as("%s%s", out, err).isZero();
    assertThat(out.toString()).contains(": success", "point 1: 3.1 MB of disk");
    String line = out.toString();
    String id = line.substring("job ".length(), line.indexOf(':'));

    assertThat(jobs("show", id)).isZero();
    assertThat(out.toString()).contains("is success: machine web to " + repo, "disk root: " + disk);
    assertThat(jobs("watch", id, "--json")).isZero();
    assertThat(out.toString().lines().toList().getLast()).startsWith("{\"id\":\"" + id);
    assertThat(jobs("history")).isZero();
    assertThat(out.toString()).contains(id, "success", "web");
    assertThat(jobs("cancel", id)).isEqualTo(2);
    assertThat(err.toString()).contains("[code JOB_ENDED 106]");
  }

  @Test
  void exitsAsTheJobEnded() {
    String missing = folder.resolve("missing").toString();
    String repo = folder.resolve("repo").toString();
    assertThat(jobs("submit", missing, "--machine", "web", "--to", repo, "--watch")).isEqualTo(2);
    assertThat(out.toString()).contains(": failed", "[code SOURCE_MISSING 200]");
  }

  @Test
  void saysWhatIsWrongWithTheAddressOrTheOrder() {
    assertThat(run("jobs", "list", "--proxy", "http://127.0.0.1:1")).isEqualTo(2);
    assertThat(err.toString()).contains("no proxy answers at", "[code CONNECT_FAILED 400]");
    assertThat(run("jobs", "list", "--proxy", "mover://x")).isEqualTo(64);
    assertThat(err.toString()).contains("write http://host:port");
    assertThat(jobs("show", "no/such job")).isEqualTo(2);
    assertThat(err.toString()).contains("[code NO_SUCH_JOB 105]");
    assertThat(jobs("submit", "/d", "--machine", "m", "--to", "x://y")).isEqualTo(64);
    assertThat(err.toString()).contains("[code BAD_ADDRESS 104]");
    assertThat(run("jobs")).isEqualTo(64);
    assertThat(run("proxy")).isEqualTo(64);
    assertThat(run("proxy", "--print-config")).isZero();
    assertThat(out.toString()).contains("maxConcurrentTasks: 4");
    assertThat(jobs("submit", "/d", "--machine", "m", "--to", "/r", "--slots", "0")).isEqualTo(64);
  }
}
