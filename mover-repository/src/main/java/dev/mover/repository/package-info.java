/**
 * The target-side data mover: admits sessions, stores blocks, commits restore points, serves them
 * back. The face of the module is {@link dev.mover.repository.Repository}.
 */
@NullMarked
package dev.mover.repository;

import org.jspecify.annotations.NullMarked;
