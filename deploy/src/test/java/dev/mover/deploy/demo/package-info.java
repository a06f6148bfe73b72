@NullMarked
package dev.mover.deploy.demo;

import org.jspecify.annotations.NullMarked;
