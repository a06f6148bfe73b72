/**
 * The way of a block from its source to the link: read, zero?, digest, offer, pack, send. Tight
 * loops on fixed threads. A {@link dev.mover.proxy.pipeline.BackupSession} is the protocol around
 * it: tasks a disk, admission by credit, commit, and one intake for the repository's frames.
 */
@NullMarked
package dev.mover.proxy.pipeline;

import org.jspecify.annotations.NullMarked;
