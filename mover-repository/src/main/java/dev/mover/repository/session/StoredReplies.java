package dev.mover.repository.session;

import dev.mover.repository.slot.ReceiveMemory;
import dev.mover.repository.slot.TaskSlots;
import dev.mover.transport.frame.Ack;
import dev.mover.transport.frame.Credit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the proxy is owed for blocks that are written: an ACK each and the credit back, in batches
 * when several are ready. Strand only.
 */
final class StoredReplies {
  private final ProxyLink link;
  private final ReceiveMemory memory;
  private final TaskSlots slots;
  private final Arrivals arrivals;
  private final Map<Integer, List<Long>> acks = new TreeMap<>();
  private int buffers;

  StoredReplies(ProxyLink link, ReceiveMemory memory, TaskSlots slots, Arrivals arrivals) {
    this.link = link;
    this.memory = memory;
    this.slots = slots;
    this.arrivals = arrivals;
  }

  void add(Wanted block) {
    acks.computeIfAbsent(block.disk(), _ -> new ArrayList<>()).add(block.block());
    buffers++;
  }

  void sendAcks() {
    acks.forEach(
        (disk, blocks) -> {
          for (int from = 0; from < blocks.size(); from += Ack.MAX_BLOCKS) {
            int to = Math.min(from + Ack.MAX_BLOCKS, blocks.size());
            link.send(new Ack(disk, blocks.subList(from, to)));
          }
        });
    acks.clear();
  }

  /** Whoever waits for them asks again what is stored. */
  void forgetAcks() {
    acks.clear();
  }

  void returnCredit() {
    if (buffers > 0) {
      long bytes = memory.returnCredit(buffers);
      buffers = 0;
      slots.memoryReturned(); // some may have gone home instead
      if (bytes > 0) {
        arrivals.grant(bytes);
        link.send(new Credit(bytes));
      }
    }
  }
}
