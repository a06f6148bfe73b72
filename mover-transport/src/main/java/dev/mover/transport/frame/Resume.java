package dev.mover.transport.frame;

import dev.mover.api.point.Name;
import java.util.UUID;

/**
 * The first frame of a link that takes the place of one a session lost. The answer is {@link
 * Opened} and the credit anew, {@link Committed} when the session has committed meanwhile, or an
 * error: the session is over.
 *
 * <pre>
 * 0   uuid  session id
 * 16  name  machine
 * </pre>
 */
public record Resume(UUID sessionId, Name machine) implements Frame {
  static final FrameCodec<Resume> CODEC =
      new FrameCodec<>() {
        @Override
        public void write(Resume resume, FrameWriter out) {
          out.uuid(resume.sessionId()).name(resume.machine());
        }

        @Override
        public Resume read(FrameReader in) {
          return new Resume(in.uuid(), in.name());
        }
      };
}
