package dev.mover.transport.frame;

import java.util.List;

/**
 * The repository must have these blocks after all (a clone failed and the source slot is damaged).
 * Comes instead of {@link Committed}; the proxy reads and sends them again, then commits again.
 *
 * @param blocks 1 to {@link Ack#MAX_BLOCKS} block indexes; several frames may come
 * @param last no further {@code NEED} follows for this commit
 */
public record Need(int disk, List<Long> blocks, boolean last) implements Frame {}
