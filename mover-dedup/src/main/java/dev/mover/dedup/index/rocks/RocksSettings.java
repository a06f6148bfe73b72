package dev.mover.dedup.index.rocks;

import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.DataBlockIndexType;
import org.rocksdb.IndexType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.WriteBufferManager;

/**
 * How the database is tuned, and where its memory goes.
 *
 * <pre>
 * budget            one LRU cache: data blocks, index and filter partitions, and the memtables,
 *                   whose bytes are charged to it
 *   of it ¼         memtables of all column families together; then the largest is flushed
 * beside the budget a compaction's buffers (≤ 2 jobs × a few MiB), ≤ 1,024 open tables × some KiB
 * </pre>
 *
 * <p>Index and filters are cut into 4 KiB partitions that come and go in the cache, so the memory
 * is the same for a thousand ids as for 100 million (whose filters alone are 125 MB).
 */
final class RocksSettings {
  private static final int MEMTABLE_SHARE = 4;

  /**
   * More than there ever are: an index of 100 million has 110 of 64 MB. A table that is not open is
   * opened for each lookup, and their cache has 64 shards: with room for 128 it fell from 134,000
   * to 9,000 lookups a second.
   */
  private static final int MAX_OPEN_TABLES = 1024;

  private static final int BACKGROUND_JOBS =
      2; // one flushes, one compacts: the cores belong to the data
  private static final double BLOOM_BITS = 10; // 1 % false positives: 1 needless read in 100 misses
  private static final int PARTITION_BYTES = 4096;

  /**
   * Of the cache kept for index and filter partitions, if there are as many: every lookup wants
   * some, while a data block of random ids is hardly wanted twice.
   */
  private static final double PARTITIONS_SHARE = 0.5;

  private static final double HASH_TABLE_USE = 0.75;
  private static final long MAX_LOG_BYTES = 1 << 20;
  private static final int MAX_LOGS = 3;

  private static final int DEFAULT_SHARDS = -1;

  private final NativeHandles handles;
  private final long memtableBytes;
  private final Cache cache;

  RocksSettings(NativeHandles handles, long memoryBytes) {
    this.handles = handles;
    this.memtableBytes = memoryBytes / MEMTABLE_SHARE;
    this.cache = handles.own(new LRUCache(memoryBytes, DEFAULT_SHARDS, false, PARTITIONS_SHARE));
  }

  DBOptions database() {
    WriteBufferManager memtables = handles.own(new WriteBufferManager(memtableBytes, cache, false));
    return handles
        .own(new DBOptions())
        .setCreateIfMissing(true)
        .setCreateMissingColumnFamilies(true)
        .setWriteBufferManager(memtables)
        // A family that is seldom written would keep every log since its last flush.
        .setMaxTotalWalSize(2 * memtableBytes)
        .setMaxBackgroundJobs(BACKGROUND_JOBS)
        .setMaxOpenFiles(MAX_OPEN_TABLES)
        .setSkipStatsUpdateOnDbOpen(true)
        .setStatsDumpPeriodSec(0)
        .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
        .setMaxLogFileSize(MAX_LOG_BYTES)
        .setKeepLogFileNum(MAX_LOGS);
  }

  /**
   * Random ids and places: packing would save 2 % (66.9 instead of 68.3 bytes an entry). Without
   * it, and with a hash table in each data block, lookups went from 262,000 to 295,000 a second.
   */
  ColumnFamilyOptions index() {
    return family(
        CompressionType.NO_COMPRESSION,
        table()
            .setDataBlockIndexType(DataBlockIndexType.kDataBlockBinaryAndHash)
            .setDataBlockHashTableUtilRatio(HASH_TABLE_USE));
  }

  /** Few and wordy. */
  ColumnFamilyOptions points() {
    return family(CompressionType.LZ4_COMPRESSION, table());
  }

  private BlockBasedTableConfig table() {
    return new BlockBasedTableConfig()
        .setBlockCache(cache)
        .setFilterPolicy(handles.own(new BloomFilter(BLOOM_BITS)))
        .setIndexType(IndexType.kTwoLevelIndexSearch)
        .setPartitionFilters(true)
        .setMetadataBlockSize(PARTITION_BYTES)
        .setCacheIndexAndFilterBlocks(true)
        .setCacheIndexAndFilterBlocksWithHighPriority(true)
        .setPinTopLevelIndexAndFilter(true);
  }

  private ColumnFamilyOptions family(CompressionType compression, BlockBasedTableConfig table) {
    return handles
        .own(new ColumnFamilyOptions())
        .setWriteBufferSize(memtableBytes / 2)
        .setCompressionType(compression)
        .setTableFormatConfig(table);
  }
}
