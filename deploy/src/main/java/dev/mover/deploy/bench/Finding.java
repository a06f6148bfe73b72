package dev.mover.deploy.bench;

/**
 * One promise and what was measured.
 *
 * @param atLeast the value must be at least the limit; otherwise at most
 * @param factor true when value and limit are ratios, false when they are MiB
 */
record Finding(String promise, double value, double limit, boolean atLeast, boolean factor) {
  boolean kept() {
    return atLeast ? value >= limit : value <= limit;
  }
}
