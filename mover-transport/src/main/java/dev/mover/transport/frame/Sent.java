package dev.mover.transport.frame;

import java.util.List;

/**
 * Everything {@link Get} asked for was sent.
 *
 * @param unreadable data blocks that could not be read (each was named by an error in the list)
 */
public record Sent(int disk, long blocks, long unreadable, List<String> findings)
    implements Frame {}
