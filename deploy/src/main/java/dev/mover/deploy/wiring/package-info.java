/**
 * The composition root: the one place where transports, repository and configuration are put
 * together into something that runs.
 */
@NullMarked
package dev.mover.deploy.wiring;

import org.jspecify.annotations.NullMarked;
