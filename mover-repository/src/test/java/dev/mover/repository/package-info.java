/** Whole sessions against a repository, by a small proxy that does exactly what a test says. */
@NullMarked
package dev.mover.repository;

import org.jspecify.annotations.NullMarked;
