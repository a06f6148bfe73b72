package dev.mover.transport.frame;

import dev.mover.api.point.Name;

/**
 * Opens a restore point for reading; one at a time a link.
 *
 * @param sequence 0: the newest
 */
public record ReadPoint(Name machine, long sequence) implements Frame {}
