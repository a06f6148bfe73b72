package dev.mover.proxy;

import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.point.DiskSpec;
import dev.mover.api.source.DiskSource;
import java.util.List;

/** A source that does what another does, for tests that change one thing. */
abstract class Forwarding implements DiskSource {
  private final DiskSource to;

  Forwarding(DiskSource to) {
    this.to = to;
  }

  @Override
  public DiskSpec spec() {
    return to.spec();
  }

  @Override
  public String describe() {
    return to.describe();
  }

  @Override
  public int depth() {
    return to.depth();
  }

  @Override
  public long nextData(long offset) {
    return to.nextData(offset);
  }

  @Override
  public void read(long offset, int length, BlockBuffer into, ReadDone done) {
    to.read(offset, length, into, done);
  }

  @Override
  public List<String> finish() {
    return to.finish();
  }

  @Override
  public void close() {
    to.close();
  }
}
