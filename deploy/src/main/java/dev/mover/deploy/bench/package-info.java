/**
 * What the hardware gives, and what the mover makes of it: bare loops with none of the mover's
 * pipeline, and runs of its real data path beside them, in processes of the same age.
 */
@NullMarked
package dev.mover.deploy.bench;

import org.jspecify.annotations.NullMarked;
