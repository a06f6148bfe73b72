@NullMarked
package dev.mover.deploy.wiring;

import org.jspecify.annotations.NullMarked;
