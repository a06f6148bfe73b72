/**
 * The proxy as a daemon: jobs, their history, limits and metrics, and the HTTP API over them. Runs
 * backups through the {@code JobRunner} port, so all but {@code ProxyDaemon} and its runner can do
 * without a proxy; the command line knows this package, not the other way round.
 */
@NullMarked
package dev.mover.deploy.daemon;

import org.jspecify.annotations.NullMarked;
