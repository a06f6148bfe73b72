/**
 * One accepted link: its strand, its role (backup, reading, verifying) and how it fails. Imports
 * mover-api, mover-transport, {@code extent figures}.
 */
@NullMarked
package dev.mover.repository.link;

import org.jspecify.annotations.NullMarked;
