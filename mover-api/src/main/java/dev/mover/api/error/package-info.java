/**
 * Operating failures: one sealed family, each with a stable code, a retry class, the side it
 * happened on, and a sentence that names the cause and the way out. Expected outcomes are values
 * elsewhere; programmer errors are assertions.
 */
@NullMarked
package dev.mover.api.error;

import org.jspecify.annotations.NullMarked;
