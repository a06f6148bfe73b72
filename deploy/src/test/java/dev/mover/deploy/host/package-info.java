@NullMarked
package dev.mover.deploy.host;

import org.jspecify.annotations.NullMarked;
