/** Tests. */
@NullMarked
package dev.mover.repository.removal;

import org.jspecify.annotations.NullMarked;
