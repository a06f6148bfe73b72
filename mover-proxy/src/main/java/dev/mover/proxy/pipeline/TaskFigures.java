package dev.mover.proxy.pipeline;

import dev.mover.api.status.Stage;
import dev.mover.api.status.StageFigures;
import java.util.Map;

/**
 * Where one disk's time went, by the stages its proxy can see. The target is not among them: all
 * disks of a machine go into one file, so it is measured for the session.
 */
public record TaskFigures(String disk, Map<Stage, StageFigures> stages) {
  public TaskFigures {
    stages = Map.copyOf(stages);
  }
}
