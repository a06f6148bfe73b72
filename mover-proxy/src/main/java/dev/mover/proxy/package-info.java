/**
 * The source-side data mover: reads disks, reduces them, sends them; and writes them back. The face
 * of the module is {@link dev.mover.proxy.Proxy}.
 */
@NullMarked
package dev.mover.proxy;

import org.jspecify.annotations.NullMarked;
