/**
 * The demonstration: makes disks, runs real {@code mover} processes over them and compares. Knows
 * the command line only, neither proxy nor repository.
 */
@NullMarked
package dev.mover.deploy.demo;

import org.jspecify.annotations.NullMarked;
