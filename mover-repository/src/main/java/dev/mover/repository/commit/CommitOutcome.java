package dev.mover.repository.commit;

import dev.mover.api.block.BlockId;
import dev.mover.repository.file.Footer;
import java.util.List;

/** How a commit ended; failures are exceptions and leave a partial. */
public sealed interface CommitOutcome {
  /** The point is durable under its name. */
  record Done(Footer footer, long cloneRuns, long copiedBytes, List<String> warnings)
      implements CommitOutcome {
    public Done {
      warnings = List.copyOf(warnings);
    }
  }

  /**
   * Sources of links are damaged: these blocks must be sent after all. Their entries have no slot
   * now; everything that could be linked is. Commit again when they are there.
   */
  record Missing(List<Block> blocks) implements CommitOutcome {
    /** About as many at once; others are asked for in another round. */
    static final int MOST = 16 << 10;

    public Missing {
      blocks = List.copyOf(blocks);
    }

    /** A block without a slot, and its entry in the disk's open map. */
    public record Block(int disk, long block, long entry, BlockId id) {}
  }
}
