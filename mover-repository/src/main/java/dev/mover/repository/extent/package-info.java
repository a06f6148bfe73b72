/**
 * One file system a repository stores on: its folders, what it can do, who may write, and the
 * threads that wait for it. Imports mover-api only.
 */
@NullMarked
package dev.mover.repository.extent;

import org.jspecify.annotations.NullMarked;
