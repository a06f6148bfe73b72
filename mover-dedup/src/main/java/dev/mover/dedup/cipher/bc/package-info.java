/** Public keys and passwords on Bouncy Castle; the only package that may import it. */
@NullMarked
package dev.mover.dedup.cipher.bc;

import org.jspecify.annotations.NullMarked;
