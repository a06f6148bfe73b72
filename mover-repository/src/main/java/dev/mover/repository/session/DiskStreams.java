package dev.mover.repository.session;

import dev.mover.repository.file.OpenMap;
import dev.mover.repository.link.LinkContext;
import dev.mover.repository.session.ParentMap.ParentDisk;
import dev.mover.repository.slot.TaskSlots;
import dev.mover.transport.frame.Answer;
import dev.mover.transport.frame.Granted;
import dev.mover.transport.frame.Offer;
import dev.mover.transport.frame.Open;
import dev.mover.transport.frame.Queued;
import dev.mover.transport.frame.Same;
import dev.mover.transport.frame.Zero;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The disks of a session while they stream in: their task slots, and what the proxy tells of them.
 * A frame that comes again after a lost link changes nothing and is answered again. Strand only.
 */
final class DiskStreams {
  private final Open open;
  private final SessionResources resources;
  private final OfferDesk desk;
  private final ProxyLink link;
  private final Arrivals arrivals;
  private final TargetTimes times;
  private final Executor strand;
  private final BooleanSupplier streaming;
  private final List<DiskStream> disks = new ArrayList<>();

  /**
   * No maps yet: see {@link #openMaps}.
   *
   * @param strand of the session, where what fails fails the session
   * @param streaming whether the session still streams
   */
  DiskStreams(
      Open open,
      SessionResources resources,
      OfferDesk desk,
      ProxyLink link,
      Arrivals arrivals,
      TargetTimes times,
      Executor strand,
      BooleanSupplier streaming) {
    this.open = open;
    this.resources = resources;
    this.desk = desk;
    this.link = link;
    this.arrivals = arrivals;
    this.times = times;
    this.strand = strand;
    this.streaming = streaming;
  }

  /** The map of each disk is scratch of the session, closed with its resources. */
  void openMaps(SessionServices services) {
    for (int i = 0; i < open.disks().size(); i++) {
      OpenMap map =
          new OpenMap(resources.folder().scratchFile("disk-" + i + ".map"), services.metadata());
      DiskStream disk = new DiskStream(i, open.disks().get(i), open.blockSize(), map);
      disks.add(disk);
      resources.onRelease(disk::close);
    }
  }

  /** All of them, by index. */
  List<DiskStream> all() {
    return Collections.unmodifiableList(disks);
  }

  DiskStream at(int index) {
    if (index < 0 || index >= disks.size()) {
      throw LinkContext.violation("there is no disk " + index);
    }
    return disks.get(index);
  }

  boolean areAllEnded() {
    return disks.stream().allMatch(DiskStream::isEnded);
  }

  // ---- a lost link

  /** Places and slots go to others. */
  void lendSlots() {
    disks.forEach(DiskStream::lendSlot);
  }

  /** What the last link brought may come again. */
  void mayRepeat() {
    disks.forEach(DiskStream::mayRepeat);
  }

  /** Asks anew for what was lent. */
  void queueAgain() {
    disks.forEach(disk -> disk.queueAgain(() -> resources.slots().request(waiter(disk))));
  }

  // ---- what the proxy says

  void begin(DiskStream disk) {
    if (!disk.isRepeated()) {
      disk.queue(() -> resources.slots().request(waiter(disk)));
    } else if (disk.isRunning()) {
      link.send(new Granted(disk.index(), 0)); // its credit was told with that of the link
    } else {
      tellPlace(disk);
    }
  }

  private TaskSlots.Waiter waiter(DiskStream disk) {
    return new TaskSlots.Waiter() {
      @Override
      public void moved() {
        strand.execute(() -> tellPlace(disk));
      }

      @Override
      public void granted(long creditBytes) {
        strand.execute(() -> onGranted(disk, creditBytes));
      }
    };
  }

  private void tellPlace(DiskStream disk) {
    TaskSlots.Place place = disk.place();
    if (streaming.getAsBoolean() && place != null) {
      link.send(new Queued(disk.index(), place.position(), LinkContext.cut(place.reason())));
    }
  }

  private void onGranted(DiskStream disk, long creditBytes) {
    if (!streaming.getAsBoolean()) {
      return; // the slot went back when the session ended
    }
    if (!disk.isRunning()) {
      disk.begin(parentOf(disk));
      times.begin();
    }
    arrivals.grant(creditBytes);
    link.send(new Granted(disk.index(), creditBytes));
  }

  private @Nullable ParentDisk parentOf(DiskStream disk) {
    ParentMap parent = resources.parent();
    return parent == null ? null : parent.disk(disk.spec(), open.blockSize()).orElse(null);
  }

  static void zero(DiskStream disk, Zero frame) {
    if (!disk.has(frame.firstBlock(), frame.count())) {
      disk.expect(frame.firstBlock(), frame.count());
      disk.addZeros(frame.count());
    }
  }

  void offer(DiskStream disk, Offer frame) {
    BitSet wanted;
    if (disk.has(frame.firstBlock(), frame.ids().size())) {
      wanted = desk.repeat(frame);
    } else {
      disk.expect(frame.firstBlock(), frame.ids().size());
      wanted = desk.take(disk, frame);
    }
    link.send(new Answer(disk.index(), frame.firstBlock(), frame.ids().size(), wanted));
  }

  void same(DiskStream disk, Same frame) {
    if (!disk.has(frame.firstBlock(), frame.count())) {
      disk.expect(frame.firstBlock(), frame.count());
      desk.take(disk, frame, link);
    }
  }
}
