package dev.mover.transport.frame;

import java.util.UUID;

/**
 * Answer to {@link Hello}: the version both now speak and what this repository is.
 *
 * @param cloneMode the extent's mode for people, for example {@code cloning (xfs, 4096)}
 */
public record Welcome(int version, String software, UUID repositoryId, String cloneMode)
    implements Frame {}
