/**
 * Task slots: how many disks are streamed in at once, who waits for one, and the receive memory
 * that goes with it. Imports mover-api and {@code frame}.
 */
@NullMarked
package dev.mover.repository.slot;

import org.jspecify.annotations.NullMarked;
