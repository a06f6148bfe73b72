/**
 * A link without a socket: both ends in one process, the same frames as bytes between them. For
 * embedded use and for protocol tests with seeded trouble.
 */
@NullMarked
package dev.mover.transport.inprocess;

import org.jspecify.annotations.NullMarked;
