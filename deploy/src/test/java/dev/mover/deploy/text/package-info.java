@NullMarked
package dev.mover.deploy.text;

import org.jspecify.annotations.NullMarked;
