/**
 * The few Linux calls Java lacks, by the foreign function interface: direct I/O, cloning, holes,
 * locks that die with their holder, block devices, rename without replacing. The only package with
 * restricted native calls. Every method here may block; none is for an event loop.
 */
@NullMarked
package dev.mover.api.linux;

import org.jspecify.annotations.NullMarked;
