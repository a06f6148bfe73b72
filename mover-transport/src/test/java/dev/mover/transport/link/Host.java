package dev.mover.transport.link;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A server whose sessions only listen; the test plays their part through {@link Guest}. */
public class Host implements LinkServer {
  public static final Identity IDENTITY = new Identity(new UUID(7, 8), "cloning (xfs, 4096)");

  private final BulkReceiver receiver;
  private final List<Guest> guests = new ArrayList<>();

  public Host(BulkReceiver receiver) {
    this.receiver = receiver;
  }

  /** One link as its server sees it. */
  public record Guest(FrameLink link, Ear ear) {}

  @Override
  public Identity identity() {
    return IDENTITY;
  }

  @Override
  public Session accept(String peer) {
    return new Session() {
      @Override
      public BulkReceiver receiver() {
        return receiver;
      }

      @Override
      public void start(FrameLink link) {
        started(link);
      }
    };
  }

  /** Overridden where a session does something else. */
  protected void started(FrameLink link) {
    add(new Guest(link, Ear.on(link)));
  }

  protected final synchronized void add(Guest guest) {
    guests.add(guest);
    notifyAll();
  }

  /** The guest who came as number {@code index}, from 0. */
  public final synchronized Guest guest(int index) {
    Waiting.on(this, Duration.ofSeconds(20), () -> guests.size() > index);
    return guests.get(index);
  }
}
