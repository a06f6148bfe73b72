/** What a repository has done since it was opened, as numbers that only grow. */
@NullMarked
package dev.mover.repository.figures;

import org.jspecify.annotations.NullMarked;
