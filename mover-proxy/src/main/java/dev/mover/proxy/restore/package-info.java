/**
 * The way back: a point's map and blocks come over the link, each block is unpacked, compared with
 * its id, and written to the target. Also the questions that need no blocks: listings and
 * verification.
 */
@NullMarked
package dev.mover.proxy.restore;

import org.jspecify.annotations.NullMarked;
