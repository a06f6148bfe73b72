package dev.mover.transport.frame;

/**
 * Asks for the next restore points, by machine and sequence; answered by one {@link Points}. The
 * asker pulls batch after batch, so a repository with a million points never floods it.
 *
 * @param machine only this one's; empty: all
 * @param afterMachine last machine of the batch before; empty: from the start
 * @param afterSequence last sequence of the batch before
 */
public record ListPoints(String machine, String afterMachine, long afterSequence)
    implements Frame {}
