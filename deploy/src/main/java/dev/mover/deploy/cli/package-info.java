/**
 * The command line: parses, calls proxy or repository through {@code wiring}, and shows what came
 * of it. Nothing below imports this package.
 */
@NullMarked
package dev.mover.deploy.cli;

import org.jspecify.annotations.NullMarked;
