/**
 * Deleting points: unlink where the extent clones, freeing what no other point uses where it can't.
 * Imports mover-api, mover-dedup, mover-transport, {@code extent file catalogue damage serve
 * session retention link}.
 */
@NullMarked
package dev.mover.repository.removal;

import org.jspecify.annotations.NullMarked;
