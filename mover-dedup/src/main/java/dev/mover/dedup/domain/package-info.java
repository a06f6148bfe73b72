/**
 * A key domain: its keys, who can unlock them, and the file all of that is kept in. A domain file
 * is enough to encrypt; a password or key file besides is enough to decrypt.
 */
@NullMarked
package dev.mover.dedup.domain;

import org.jspecify.annotations.NullMarked;
