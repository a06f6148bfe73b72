/** Tests of what is remembered of damage. */
@NullMarked
package dev.mover.repository.damage;

import org.jspecify.annotations.NullMarked;
