package dev.mover.deploy.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mover.repository.RepositoryStatus;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class HealthJsonTest {
  @Test
  void holdsEveryFieldOfTheStatusUnderItsPromisedName() throws Exception {
    UUID id = UUID.fromString("00000000-0000-0001-0000-000000000002");
    RepositoryStatus status =
        new RepositoryStatus(
            Path.of("/b"), id, "cloning (xfs)", 100, 50, 3, 2, 1, 3, 2, 7, List.of("look here"));

    JsonNode json = new ObjectMapper().readTree(HealthJson.of(status));

    assertThat(json.propertyStream().map(field -> field.getKey() + "=" + field.getValue()))
        .containsExactly(
            "status=\"warning\"",
            "repositoryId=\"" + id + "\"",
            "directory=\"/b\"",
            "mode=\"cloning (xfs)\"",
            "capacityBytes=100",
            "freeBytes=50",
            "maxConcurrentTasks=3",
            "runningTasks=2",
            "queuedTasks=1",
            "mostTasks=3",
            "sessions=2",
            "points=7",
            "warnings=[\"look here\"]");
  }
}
