/**
 * A small HTTP server for what a daemon says of itself ({@code /health} and the like). Knows
 * Reactor Netty's HTTP and nothing of links.
 */
@NullMarked
package dev.mover.transport.http;

import org.jspecify.annotations.NullMarked;
