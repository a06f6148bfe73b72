/** What bounds the work of tasks beside their slots: rates. */
@NullMarked
package dev.mover.api.task;

import org.jspecify.annotations.NullMarked;
