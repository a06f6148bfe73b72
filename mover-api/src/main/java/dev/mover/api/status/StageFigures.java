package dev.mover.api.status;

/**
 * What one stage did in one task or session.
 *
 * @param busyNs time in which the stage worked at its full width: all workers for the proxy, at
 *     least one transfer under way for the others
 * @param inputWaitNs time it stood still because nothing came
 * @param outputWaitNs time it stood still because the next stage took nothing
 * @param bytes that passed: plain bytes at source and proxy, packed ones at network and target
 */
public record StageFigures(long busyNs, long inputWaitNs, long outputWaitNs, long bytes) {
  public static final StageFigures NONE = new StageFigures(0, 0, 0, 0);

  public StageFigures plus(StageFigures other) {
    return new StageFigures(
        busyNs + other.busyNs,
        inputWaitNs + other.inputWaitNs,
        outputWaitNs + other.outputWaitNs,
        bytes + other.bytes);
  }
}
