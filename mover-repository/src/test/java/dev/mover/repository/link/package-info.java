@NullMarked
package dev.mover.repository.link;

import org.jspecify.annotations.NullMarked;
