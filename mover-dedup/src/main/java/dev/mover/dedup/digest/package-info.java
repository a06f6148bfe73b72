/** Names blocks by their content and finds the ones that hold nothing. */
@NullMarked
package dev.mover.dedup.digest;

import org.jspecify.annotations.NullMarked;
