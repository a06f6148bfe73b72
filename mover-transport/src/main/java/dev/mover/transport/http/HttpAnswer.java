package dev.mover.transport.http;

/** What a handler gives back: one whole reply, or events as they come. */
public sealed interface HttpAnswer permits HttpReply, HttpEvents {}
