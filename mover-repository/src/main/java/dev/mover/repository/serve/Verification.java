package dev.mover.repository.serve;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.RepositoryException;
import dev.mover.api.point.Verdict;
import dev.mover.api.point.Verdict.Outcome;
import dev.mover.repository.catalogue.PointList;
import dev.mover.repository.extent.ExtentLayout;
import dev.mover.repository.link.LinkContext;
import dev.mover.repository.link.LinkRole;
import dev.mover.transport.frame.Frame;
import dev.mover.transport.frame.VerdictFrame;
import dev.mover.transport.frame.Verify;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A link that verifies points, one verdict each. On the check threads; blocks for as long. */
public final class Verification implements LinkRole {
  private final LinkContext link;
  private final ServeServices services;
  private final PointList points;

  public Verification(LinkContext link, ServeServices services) {
    this.link = link;
    this.services = services;
    this.points = services.points().get();
  }

  @Override
  public void onFrame(Frame frame) {
    if (!(frame instanceof Verify verify)) {
      throw LinkContext.violation(
          frame.getClass().getSimpleName() + " has no place in a verification");
    }
    List<String> machines =
        verify.machine().isEmpty() ? points.machines() : List.of(verify.machine());
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
    PointVerifier verifier = new PointVerifier(services, link);
    long checked = 0;
    for (String machine : machines) {
      for (Path path : wanted(machine, verify)) {
        link.checkOver();
        checked++;
        Optional<Verdict> verdict = verdict(verifier, path, verify.data());
        if (verdict.isPresent()) {
          points.looked(machine, path);
          link.send(new VerdictFrame(verdict.get(), checked, total));
        }
      }
    }
    link.send(new VerdictFrame(null, checked, total));
  }

  /** Nothing of a point that was deleted since it was listed. */
  private static Optional<Verdict> verdict(PointVerifier verifier, Path path, boolean data) {
    try {
      Verdict verdict = verifier.verify(path, data);
      return verdict.outcome() == Outcome.SOUND || Files.exists(path)
          ? Optional.of(verdict)
          : Optional.empty();
    } catch (RepositoryException e) {
      if (e.code() == ErrorCode.NO_SUCH_POINT) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private List<Path> wanted(String machine, Verify verify) {
    return points.files(machine).stream()
        .filter(
            path ->
                verify.sequence() == 0
                    || ExtentLayout.parse(path).orElseThrow().sequence() == verify.sequence())
        .toList();
  }

  @Override
  public void end() {}

  @Override
  public void whenReleased(Runnable then) {
    then.run(); // between two frames nothing is held
  }
}
