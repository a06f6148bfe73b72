package dev.mover.deploy.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Text in columns: numbers right, words left, two spaces between. */
public final class Table {
  private final String[] header;
  private final boolean[] right;
  private final List<String[]> rows = new ArrayList<>();

  /** A header that begins with {@code >} makes its column a right-aligned one. */
  public Table(String... header) {
    this.header = Arrays.stream(header).map(h -> h.replaceFirst("^>", "")).toArray(String[]::new);
    this.right = new boolean[header.length];
    for (int i = 0; i < header.length; i++) {
      right[i] = header[i].startsWith(">");
    }
  }

  public void row(String... cells) {
    if (cells.length != header.length) {
      throw new IllegalArgumentException(cells.length + " cells in a table of " + header.length);
    }
    rows.add(cells);
  }

  public List<String> lines() {
    int[] widths = new int[header.length];
    measure(header, widths);
    rows.forEach(row -> measure(row, widths));
    List<String> lines = new ArrayList<>();
    lines.add(line(header, widths));
    rows.forEach(row -> lines.add(line(row, widths)));
    return lines;
  }

  private static void measure(String[] cells, int[] widths) {
    for (int i = 0; i < cells.length; i++) {
      widths[i] = Math.max(widths[i], width(cells[i]));
    }
  }

  private String line(String[] cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.length; i++) {
      String pad = " ".repeat(widths[i] - width(cells[i]));
      line.append(i == 0 ? "" : "  ");
      line.append(right[i] ? pad + cells[i] : cells[i] + pad);
    }
    return line.toString().stripTrailing();
  }

  private static int width(String cell) {
    return cell.codePointCount(0, cell.length());
  }
}
