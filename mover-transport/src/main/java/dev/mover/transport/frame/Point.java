package dev.mover.transport.frame;

import dev.mover.api.point.RestorePoint;

/** The point that {@link ReadPoint} opened. */
public record Point(RestorePoint point) implements Frame {}
