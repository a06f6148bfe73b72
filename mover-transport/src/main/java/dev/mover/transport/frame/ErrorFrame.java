package dev.mover.transport.frame;

import dev.mover.api.error.Side;

/**
 * The sender can't go on; it closes the link after this frame. Layout is the same in every version.
 *
 * @param code a {@link dev.mover.api.error.ErrorCode} number; a receiver that doesn't know it shows
 *     the message
 * @param message at most {@link Frame#MAX_TEXT} bytes, one sentence for a person
 */
public record ErrorFrame(int code, Side side, String message) implements Frame {}
