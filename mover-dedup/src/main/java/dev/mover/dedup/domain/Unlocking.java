package dev.mover.dedup.domain;

/** What a domain is unlocked with. */
public sealed interface Unlocking permits Password, PaperKey {}
