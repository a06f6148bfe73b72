/** Tests. */
@NullMarked
package dev.mover.repository.retention;

import org.jspecify.annotations.NullMarked;
