package dev.mover.api.error;

/** Where an error happened, as its reader sees the system. */
public enum Side {
  CLI,
  PROXY,
  LINK,
  REPOSITORY
}
