@NullMarked
package dev.mover.deploy.daemon;

import org.jspecify.annotations.NullMarked;
