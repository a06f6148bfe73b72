/** The port by which a proxy reads a disk, whatever transport mode brings it. */
@NullMarked
package dev.mover.api.source;

import org.jspecify.annotations.NullMarked;
