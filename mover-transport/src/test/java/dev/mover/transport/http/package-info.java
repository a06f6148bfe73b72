/** What a daemon says of itself over HTTP. */
@NullMarked
package dev.mover.transport.http;

import org.jspecify.annotations.NullMarked;
