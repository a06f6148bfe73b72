/** Where a known block lies. Disposable: rebuilt from backup files, never read to restore. */
@NullMarked
package dev.mover.dedup.index;

import org.jspecify.annotations.NullMarked;
