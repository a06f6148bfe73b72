@NullMarked
package dev.mover.deploy.cli;

import org.jspecify.annotations.NullMarked;
