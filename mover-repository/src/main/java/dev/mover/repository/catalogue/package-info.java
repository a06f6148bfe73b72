/**
 * What is in the repository, without looking into its files: points for listings, where a file
 * lies, which session made it. Rebuilt from the files when lost. Imports mover-api, the index port
 * of mover-dedup, {@code extent}, {@code file}.
 */
@NullMarked
package dev.mover.repository.catalogue;

import org.jspecify.annotations.NullMarked;
