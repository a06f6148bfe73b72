/** Which restore points a machine needs no more. A pure decision; imports mover-api. */
@NullMarked
package dev.mover.repository.retention;

import org.jspecify.annotations.NullMarked;
