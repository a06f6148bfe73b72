/**
 * Gives restore points back: listings, maps, blocks, and verdicts on whether they are still what
 * they were. Needs neither index nor lock nor task slot. Imports mover-api, mover-transport, the
 * codec and digest of mover-dedup, and {@code catalogue extent file link order}.
 */
@NullMarked
package dev.mover.repository.serve;

import org.jspecify.annotations.NullMarked;
