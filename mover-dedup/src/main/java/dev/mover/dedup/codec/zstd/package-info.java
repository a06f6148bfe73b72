/** The block codec on zstd-jni; the only package that may import it. */
@NullMarked
package dev.mover.dedup.codec.zstd;

import org.jspecify.annotations.NullMarked;
