/** Encrypts payloads slot by slot, and makes them readable again. */
@NullMarked
package dev.mover.dedup.cipher;

import org.jspecify.annotations.NullMarked;
