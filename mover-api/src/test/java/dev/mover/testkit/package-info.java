/**
 * What every module's tests stand on: guards that are always on, replayable random properties, real
 * file systems on loop devices, disk images, and the walls between packages. Not shipped.
 */
@NullMarked
package dev.mover.testkit;

import org.jspecify.annotations.NullMarked;
