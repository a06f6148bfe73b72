/** The sort outside memory. */
@NullMarked
package dev.mover.repository.order;

import org.jspecify.annotations.NullMarked;
