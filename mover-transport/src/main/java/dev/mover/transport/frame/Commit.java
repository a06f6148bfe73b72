package dev.mover.transport.frame;

import java.util.UUID;

/** All disks are ended: make the restore point. Idempotent by session id. */
public record Commit(UUID sessionId) implements Frame {}
