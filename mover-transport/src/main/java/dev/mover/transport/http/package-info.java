/**
 * A small HTTP server for what a daemon says of itself and takes orders by: routes, JSON, and
 * server-sent events. Knows Reactor Netty's HTTP and nothing of links.
 */
@NullMarked
package dev.mover.transport.http;

import org.jspecify.annotations.NullMarked;
