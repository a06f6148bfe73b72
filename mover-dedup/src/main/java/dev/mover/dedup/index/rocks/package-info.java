/**
 * Block index and catalogue in one RocksDB; the only package that may import it. Everything here
 * blocks, and everything here can be thrown away and rebuilt from the backup files.
 */
@NullMarked
package dev.mover.dedup.index.rocks;

import org.jspecify.annotations.NullMarked;
