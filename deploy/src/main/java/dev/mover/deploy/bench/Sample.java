package dev.mover.deploy.bench;

/**
 * One thing measured once.
 *
 * @param round 0 is the cold one: every process is fresh
 * @param cpuMs of all processes that took part, user and system
 * @param load the load line, empty where there is none
 */
record Sample(
    Subject subject,
    int round,
    long ns,
    long readBytes,
    long sentBytes,
    long storedBytes,
    long cpuMs,
    String load) {
  double seconds() {
    return ns / 1e9;
  }
}
