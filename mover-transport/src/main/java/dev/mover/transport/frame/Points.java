package dev.mover.transport.frame;

import dev.mover.api.point.RestorePoint;
import java.util.List;

/**
 * A batch of restore points, by machine and sequence.
 *
 * @param last nothing follows
 */
public record Points(List<RestorePoint> points, boolean last) implements Frame {}
