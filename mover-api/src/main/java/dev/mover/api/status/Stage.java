package dev.mover.api.status;

/** The four stages of the data path, in the order of the data; the load line names them so. */
public enum Stage {
  /** Reading the disk. */
  SOURCE,
  /** Zero detection, digest, packing: the CPU workers of the proxy. */
  PROXY,
  /** From the proxy's send buffer into the socket. */
  NETWORK,
  /** Writing slots in the repository. */
  TARGET;

  /** As the load line writes it. */
  public String label() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
