/**
 * Uses of slots in the order the storage likes: by file and offset. Sorted outside memory, because
 * a large disk has millions. Imports mover-api, {@code extent}, {@code file}.
 */
@NullMarked
package dev.mover.repository.order;

import org.jspecify.annotations.NullMarked;
