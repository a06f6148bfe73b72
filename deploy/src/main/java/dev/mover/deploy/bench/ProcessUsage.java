package dev.mover.deploy.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** What this process has used so far, as the kernel counts it. */
record ProcessUsage(long cpuMs, long peakRssBytes) {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String PEAK = "VmHWM:";

  static ProcessUsage now() throws IOException {
    Duration cpu = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    long peakKib =
        Files.readAllLines(STATUS).stream()
            .filter(line -> line.startsWith(PEAK))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
            .findFirst()
            .orElse(0);
    return new ProcessUsage(cpu.toMillis(), peakKib << 10);
  }
}
