/** End to end: real {@code mover} processes on real file systems and devices. */
@NullMarked
package dev.mover.itests;

import org.jspecify.annotations.NullMarked;
