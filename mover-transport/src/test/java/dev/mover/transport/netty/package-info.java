/** The TCP transport keeps the contract, with movers and with everything else that may answer. */
@NullMarked
package dev.mover.transport.netty;

import org.jspecify.annotations.NullMarked;
