/** How a run stands and how it ended: one model for command line, wire and metrics. */
@NullMarked
package dev.mover.api.status;

import org.jspecify.annotations.NullMarked;
