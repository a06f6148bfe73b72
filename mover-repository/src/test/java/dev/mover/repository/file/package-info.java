/** The backup file format, byte by byte and against models. */
@NullMarked
package dev.mover.repository.file;

import org.jspecify.annotations.NullMarked;
