/**
 * The backup file as bytes (docs/backup-file.md): superblock, slots, map pages, tables, footer, and
 * the reader that puts up with one damaged copy of anything that is there twice. Imports mover-api
 * and {@code extent}.
 */
@NullMarked
package dev.mover.repository.file;

import org.jspecify.annotations.NullMarked;
