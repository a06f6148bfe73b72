package dev.mover.transport.carrier;

import dev.mover.transport.frame.Frame;

/** Protocol versions a side speaks, both ends included. */
public record VersionRange(int lowest, int highest) {
  public static final VersionRange OURS = new VersionRange(Frame.VERSION, Frame.VERSION);

  boolean contains(int version) {
    return lowest <= version && version <= highest;
  }

  boolean overlaps(VersionRange other) {
    return lowest <= other.highest && other.lowest <= highest;
  }

  @Override
  public String toString() {
    return lowest == highest ? "version " + lowest : "versions " + lowest + " to " + highest;
  }
}
