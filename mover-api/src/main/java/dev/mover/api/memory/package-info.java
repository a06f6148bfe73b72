/**
 * Native memory for blocks: aligned for direct I/O, counted in bytes, lent and returned. The only
 * place where block-sized memory is allocated.
 */
@NullMarked
package dev.mover.api.memory;

import org.jspecify.annotations.NullMarked;
