package dev.mover.repository.serve;

import dev.mover.api.block.BlockId;
import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.point.Verdict.Outcome;
import dev.mover.repository.catalogue.PointList;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.link.LinkContext;
import dev.mover.repository.link.LinkRole;
import dev.mover.repository.serve.PointVerifier.Checked;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.VerdictFrame;
import dev.mover.transport.frame.Verify;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A link that verifies points, one verdict each. Where blocks are found damaged, the points it was
 * not asked for are searched for them too, and have a verdict when they are touched: shared blocks
 * are one copy on disk. On the check threads; blocks for as long.
 */
public final class Verification implements LinkRole {
  private final LinkContext link;
  private final ServeServices services;
  private final PointList points;
  private final PointVerifier verifier;
  private final Set<BlockId> damaged = new HashSet<>();
  private long told;

  public Verification(LinkContext link, ServeServices services) {
    this.link = link;
    this.services = services;
    this.points = services.points().get();
    this.verifier = new PointVerifier(services, CheckWatch.of(link));
  }

  @Override
  public void onFrame(Frame frame) {
    if (!(frame instanceof Verify verify)) {
      throw LinkContext.violation(
          frame.getClass().getSimpleName() + " has no place in a verification");
    }
    List<String> machines =
        verify.machine().isEmpty() ? points.machines() : List.of(verify.machine());
    told = 0;
    damaged.clear();
    long total = machines.stream().mapToLong(m -> wanted(m, verify).size()).sum();
    if (total == 0 && (!verify.machine().isEmpty() || verify.sequence() != 0)) {
      throw new RepositoryException(
          ErrorCode.NO_SUCH_POINT,
          "%s: there is no point%s%s; list the points to see what there is"
              .formatted(
                  services.layout().root(),
                  verify.sequence() == 0 ? "" : " " + verify.sequence(),
                  verify.machine().isEmpty() ? "" : " of machine " + verify.machine()));
    }
    for (String machine : machines) {
      for (Path path : wanted(machine, verify)) {
        link.checkOver();
        Optional<Checked> checked = look(path, verify.data());
        if (checked.isPresent()) {
          points.looked(machine, path);
          if (verify.data()) {
            points.checked(path, services.clock().instant());
          }
          tell(checked.get(), total);
          remember(checked.get().damaged());
        } else {
          told++;
        }
      }
    }
    if (!damaged.isEmpty()) {
      searchTheOthers(verify, total);
    }
    link.send(new VerdictFrame(null, told, Math.max(total, told)));
  }

  private void searchTheOthers(Verify verify, long total) {
    boolean everyMachine = verify.machine().isEmpty();
    for (String machine : points.machines()) {
      boolean asked = everyMachine || verify.machine().equals(machine);
      for (Path path : points.files(machine)) {
        link.checkOver();
        if (!asked || !isWanted(path, verify)) {
          verifier
              .touched(path, damaged)
              .filter(_ -> Files.exists(path))
              .ifPresent(checked -> tell(checked, total));
        }
      }
    }
  }

  private void tell(Checked checked, long total) {
    checked.damage().forEach(link::send);
    told++;
    link.send(new VerdictFrame(checked.verdict(), told, Math.max(total, told)));
  }

  private void remember(Set<BlockId> ids) {
    ids.stream().limit(DamagedSlots.MOST - damaged.size()).forEach(damaged::add);
  }

  /** Nothing of a point that was deleted since it was listed. */
  private Optional<Checked> look(Path path, boolean data) {
    try {
      Checked checked = verifier.verify(path, data);
      return checked.verdict().outcome() == Outcome.SOUND || Files.exists(path)
          ? Optional.of(checked)
          : Optional.empty();
    } catch (RepositoryException e) {
      if (e.code() == ErrorCode.NO_SUCH_POINT) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private List<Path> wanted(String machine, Verify verify) {
    return points.files(machine).stream().filter(path -> isWanted(path, verify)).toList();
  }

  private static boolean isWanted(Path path, Verify verify) {
    return verify.sequence() == 0
        || ExtentLayout.parse(path).orElseThrow().sequence() == verify.sequence();
  }

  @Override
  public void end() {}

  @Override
  public void whenReleased(Runnable then) {
    then.run(); // between two frames nothing is held
  }
}
