/** Turns plain blocks into payloads and back. */
@NullMarked
package dev.mover.dedup.codec;

import org.jspecify.annotations.NullMarked;
