/**
 * Names and descriptions of what is kept: machines, disks, sessions, restore points. Values only.
 */
@NullMarked
package dev.mover.api.point;

import org.jspecify.annotations.NullMarked;
