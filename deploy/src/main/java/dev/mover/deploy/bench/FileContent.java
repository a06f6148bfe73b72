package dev.mover.deploy.bench;

import java.util.SplittableRandom;

/**
 * Content of one made-up file, fast and from a seed. It is what an LZ unpacker makes of random
 * sequences: literals from a skewed alphabet, then a repetition of something earlier, near more
 * often than far. So a packer finds about as much to do as in real files of the same kind.
 *
 * <p>Set by measuring blocks of 1 MiB with zstd 1 on one core, against an ext4 image with 4.1 GB of
 * a Debian system: ratio 2.65 there, 2.5 here; packing 560 MB/s there, 520 here; unpacking 1,700
 * there, 1,900 here; deciles of the ratio 1.1 2.0 2.3 2.7 3.1 3.6 4.5 6.4 9.3 there, 1.4 1.9 2.4
 * 2.6 2.8 3.2 3.5 3.8 4.9 here.
 */
final class FileContent {
  /** What files there are; the shares add up to 100. */
  enum Kind {
    /** Archives, pictures: nothing to gain. */
    PACKED(11, 0, 0, 0, 0),
    /** Libraries with packed parts. */
    MIXED(9, 90, 24, 200 << 10, 8),
    PROGRAM(30, 9, 10, 64 << 10, 5),
    SOURCE(28, 6, 12, 96 << 10, 4),
    RECORDS(14, 6, 30, 32 << 10, 4),
    LOG(8, 6, 60, 64 << 10, 4);

    private final int percent;
    private final int literals;
    private final int match;
    private final int reach;
    private final int symbolBits;

    /**
     * @param literals mean run of literals
     * @param match mean length of a repetition
     * @param reach how far back repetitions come from
     * @param symbolBits about how many bits a literal is worth
     */
    Kind(int percent, int literals, int match, int reach, int symbolBits) {
      this.percent = percent;
      this.literals = literals;
      this.match = match;
      this.reach = reach;
      this.symbolBits = symbolBits;
    }

    static Kind draw(SplittableRandom random) {
      int left = random.nextInt(100);
      for (Kind kind : values()) {
        left -= kind.percent;
        if (left < 0) {
          return kind;
        }
      }
      throw new AssertionError("the shares add up to 100");
    }
  }

  private static final int ALPHABET = 4096;
  private static final int LEAST_MATCH = 4;
  private static final int STRETCHED = 8; // one repetition in 16 is a long one
  private static final int DRAWS = 1 << 16;
  private static final float[] EXPONENTIAL = exponential();

  private final SplittableRandom random;
  private final byte[] out;
  private final int from;
  private final int end;
  private int at;

  private FileContent(SplittableRandom random, byte[] out, int from, int length) {
    this.random = random;
    this.out = out;
    this.from = from;
    this.end = from + length;
    this.at = from;
  }

  /** Fills {@code length} bytes of {@code out} from {@code from} on with a file of a drawn kind. */
  static void fill(SplittableRandom random, byte[] out, int from, int length) {
    FileContent file = new FileContent(random, out, from, length);
    Kind kind = Kind.draw(random);
    if (kind == Kind.PACKED) {
      file.fillRandom();
    } else {
      file.fill(kind);
    }
  }

  private void fillRandom() {
    while (at < end) {
      long bytes = random.nextLong();
      for (int i = Math.min(8, end - at); i > 0; i--) {
        out[at++] = (byte) bytes;
        bytes >>>= 8;
      }
    }
  }

  private void fill(Kind kind) {
    byte[] alphabet = alphabet(kind.symbolBits);
    double literals = kind.literals * (0.6 + 0.8 * random.nextDouble()); // no file like the other
    while (at < end) {
      long draw = random.nextLong();
      literals(alphabet, exponential(draw, literals));
      int seen = Math.min(at - from, kind.reach);
      if (seen >= 4 * LEAST_MATCH) {
        double stretch = (draw >>> 48 & 15) == 0 ? STRETCHED : 1;
        int length = LEAST_MATCH + exponential(draw >>> 16, stretch * (kind.match - LEAST_MATCH));
        repeat(distance(draw >>> 32, seen), length);
      }
    }
  }

  private void literals(byte[] alphabet, int count) {
    int left = Math.min(count, end - at);
    while (left > 0) {
      long bits = random.nextLong();
      int part = Math.min(left, 5); // 12 bits each
      for (int i = 0; i < part; i++) {
        out[at++] = alphabet[(int) bits & ALPHABET - 1];
        bits >>>= 12;
      }
      left -= part;
    }
  }

  private void repeat(int distance, int count) {
    int source = at - distance;
    for (int left = Math.min(count, end - at); left > 0; left--) {
      out[at++] = out[source++];
    }
  }

  /** 1 to {@code seen}, evenly by order of magnitude. */
  private static int distance(long draw, int seen) {
    double magnitude = 0.35 + 0.65 * (draw & DRAWS - 1) / DRAWS;
    return 1 + (int) Math.pow(seen - 1.0, magnitude);
  }

  private static int exponential(long draw, double mean) {
    return (int) (mean * EXPONENTIAL[(int) draw & DRAWS - 1]);
  }

  private static float[] exponential() {
    float[] table = new float[DRAWS];
    for (int i = 0; i < DRAWS; i++) {
      table[i] = (float) -Math.log((i + 1.0) / (DRAWS + 1));
    }
    return table;
  }

  /** Some bytes far more often than others. */
  private byte[] alphabet(int symbolBits) {
    byte[] symbols = new byte[256];
    random.nextBytes(symbols);
    byte[] alphabet = new byte[ALPHABET];
    for (int i = 0; i < ALPHABET; i++) {
      int rank = exponential(random.nextLong(), (1 << symbolBits) / Math.E);
      alphabet[i] = symbols[rank & 255];
    }
    return alphabet;
  }
}
