/** What holds for the whole module: its walls, and what it may not do on an event loop. */
@NullMarked
package dev.mover.dedup;

import org.jspecify.annotations.NullMarked;
