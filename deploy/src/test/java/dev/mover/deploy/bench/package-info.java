@NullMarked
package dev.mover.deploy.bench;

import org.jspecify.annotations.NullMarked;
