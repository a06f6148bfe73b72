/**
 * Turns an ended session into a restore point: links, clones, metadata, footer, rename, in the one
 * order that survives a crash at any step. Imports mover-api, the index port of mover-dedup, {@code
 * extent}, {@code file}, {@code order}.
 */
@NullMarked
package dev.mover.repository.commit;

import org.jspecify.annotations.NullMarked;
