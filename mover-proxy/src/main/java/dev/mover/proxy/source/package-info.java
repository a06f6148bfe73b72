/** Where a disk is read from, one class a transport mode. */
@NullMarked
package dev.mover.proxy.source;

import org.jspecify.annotations.NullMarked;
