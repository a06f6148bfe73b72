/** The directory, its names and its threads. */
@NullMarked
package dev.mover.repository.extent;

import org.jspecify.annotations.NullMarked;
