/**
 * What the demo and the benchmark need of this host: child processes, a file system of their own,
 * and the undoing of both. Imports nothing of the mover but its errors.
 */
@NullMarked
package dev.mover.deploy.host;

import org.jspecify.annotations.NullMarked;
