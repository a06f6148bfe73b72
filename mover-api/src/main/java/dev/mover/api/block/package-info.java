/**
 * What a disk is cut into: fixed blocks, their ids, and the id of all of them together. Imports
 * nothing of the mover; every other package may import it.
 */
@NullMarked
package dev.mover.api.block;

import org.jspecify.annotations.NullMarked;
