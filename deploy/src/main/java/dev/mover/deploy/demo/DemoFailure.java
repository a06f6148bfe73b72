package dev.mover.deploy.demo;

/** A step of the demo did not do what it should; the message says which and why. */
final class DemoFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DemoFailure(String message) {
    super(message);
  }
}
