/** How amounts and tables look to a person. Imports nothing of the mover. */
@NullMarked
package dev.mover.deploy.text;

import org.jspecify.annotations.NullMarked;
