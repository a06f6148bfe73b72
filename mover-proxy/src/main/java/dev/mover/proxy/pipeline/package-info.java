/**
 * The way of a block from its source to the link: read, zero?, digest, offer, pack, send. Tight
 * loops on fixed threads; control frames come in by the session.
 */
@NullMarked
package dev.mover.proxy.pipeline;

import org.jspecify.annotations.NullMarked;
