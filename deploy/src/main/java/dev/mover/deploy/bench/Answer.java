package dev.mover.deploy.bench;

/**
 * What a worker answers.
 *
 * @param ns wall time of the work itself
 * @param readBytes plain bytes read from the image, or written by a restore
 * @param sentBytes payload bytes on the link
 * @param storedBytes new bytes kept; of a loop, payloads only
 * @param cpuMs of the process since its start, user and system
 * @param peakRssBytes most memory the process ever had resident (VmHWM)
 * @param text an address, a repository's mode, a load line
 * @param error empty when all went well
 */
record Answer(
    long ns,
    long readBytes,
    long sentBytes,
    long storedBytes,
    long cpuMs,
    long peakRssBytes,
    String text,
    String error) {

  /** What the work itself did; the worker adds what the process used. */
  static Answer of(long readBytes, long sentBytes, long storedBytes, String text) {
    return new Answer(0, readBytes, sentBytes, storedBytes, 0, 0, text, "");
  }

  Answer used(long wallNs, ProcessUsage usage) {
    return new Answer(
        wallNs,
        readBytes,
        sentBytes,
        storedBytes,
        usage.cpuMs(),
        usage.peakRssBytes(),
        text,
        error);
  }

  static Answer failed(String error) {
    return new Answer(0, 0, 0, 0, 0, 0, "", error);
  }
}
