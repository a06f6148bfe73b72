/** Who runs, who waits. */
@NullMarked
package dev.mover.repository.slot;

import org.jspecify.annotations.NullMarked;
