/**
 * The frames two movers exchange and how each looks as bytes (docs/wire-protocol.md). Values and
 * their codecs; no socket, no thread.
 */
@NullMarked
package dev.mover.transport.frame;

import org.jspecify.annotations.NullMarked;
