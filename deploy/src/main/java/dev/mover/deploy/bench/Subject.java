package dev.mover.deploy.bench;

import java.util.Locale;

/** What is measured, in the order of the table. */
enum Subject {
  READ_HASH_LOOP("loop: read, hash"),
  CPU_LOOP("loop: read, hash, pack"),
  WRITE_LOOP("loop: read, hash, pack, write"),
  UNPACK_LOOP("loop: read, unpack, hash, write"),
  EMBEDDED("backup, embedded"),
  TCP("backup over TCP, 1 task"),
  TASKS_2("backup over TCP, 2 tasks"),
  TASKS_4("backup over TCP, 4 tasks"),
  TASKS_6("backup over TCP, 6 tasks"),
  UNCHANGED("second run, unchanged"),
  SECOND_MACHINE("second machine, same content"),
  RESTORE("restore over TCP");

  private final String label;

  Subject(String label) {
    this.label = label;
  }

  /** A backup over TCP of the image cut into {@code count} disks. */
  static Subject ofTasks(int count) {
    return switch (count) {
      case 1 -> TCP;
      case 2 -> TASKS_2;
      case 4 -> TASKS_4;
      case 6 -> TASKS_6;
      default -> throw new IllegalArgumentException("not measured with " + count + " tasks");
    };
  }

  String label() {
    return label;
  }

  /** The name in JSON. */
  String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
