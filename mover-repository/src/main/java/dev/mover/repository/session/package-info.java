/**
 * A backup session over a link: admission, offers and answers, slots being written, checkpoints,
 * and the hand-over to {@code commit}. Imports everything of this module but {@code serve}.
 */
@NullMarked
package dev.mover.repository.session;

import org.jspecify.annotations.NullMarked;
