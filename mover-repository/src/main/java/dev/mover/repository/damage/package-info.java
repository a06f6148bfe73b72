/**
 * Which blocks are known to be damaged on disk, and which backup files were made without them.
 * Imports mover-api and {@code file}.
 */
@NullMarked
package dev.mover.repository.damage;

import org.jspecify.annotations.NullMarked;
