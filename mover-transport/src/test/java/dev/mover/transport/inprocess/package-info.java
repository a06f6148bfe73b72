/** The in-process transport keeps the contract, in fair and in foul weather. */
@NullMarked
package dev.mover.transport.inprocess;

import org.jspecify.annotations.NullMarked;
