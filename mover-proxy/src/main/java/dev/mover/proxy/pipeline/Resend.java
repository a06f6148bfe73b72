package dev.mover.proxy.pipeline;

import dev.mover.api.block.BlockId;
import dev.mover.api.block.BlockSize;
import dev.mover.api.block.Codec;
import dev.mover.api.error.MoverException;
import dev.mover.api.memory.BlockBuffer;
import dev.mover.api.memory.BufferSet;
import dev.mover.api.source.DiskSource;
import dev.mover.proxy.BackupRequest;
import dev.mover.proxy.ProxyMemory;
import dev.mover.transport.frame.BulkHeader;
import dev.mover.transport.frame.Need;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Answers NEED: reads blocks again that the repository knew but can't clone or read any more, and
 * sends them, one at a time. Rare, so simple. A block whose content changed meanwhile gets another
 * id, and the repository refuses it (SOURCE_CHANGED).
 *
 * <p>Memory: one read and one send buffer, from the share of the session's tasks, which have all
 * ended.
 */
final class Resend {
  private final BackupSession session;
  private final BackupRequest request;
  private final ProxyMemory memory;
  private final CpuPool cpu;

  Resend(BackupSession session, BackupRequest request, ProxyMemory memory, CpuPool cpu) {
    this.session = session;
    this.request = request;
    this.memory = memory;
    this.cpu = cpu;
  }

  /** Blocks until every block of {@code needs} is acknowledged. */
  void send(List<Need> needs) {
    int bytes = request.blockSize().bytes();
    CpuPool.Lane lane = cpu.lane();
    try (BufferSet plain = memory.read().lease(bytes, 1, session::wake);
        BufferSet packed = memory.send().lease(bytes, 1, session::wake)) {
      for (Need need : needs) {
        for (long block : need.blocks()) {
          sendOne(need.disk(), block, plain, packed, lane);
        }
      }
    } finally {
      lane.close();
    }
  }

  private void sendOne(
      int disk, long block, BufferSet plainSet, BufferSet packedSet, CpuPool.Lane lane) {
    DiskSource source = request.disks().get(disk);
    BlockSize size = request.blockSize();
    int length = size.lengthAt(block, source.spec().sizeBytes());
    session.awaitCredit();
    BlockBuffer plain;
    BlockBuffer packed;
    synchronized (session) {
      plain = session.awaitBuffer(plainSet);
      packed = session.awaitBuffer(packedSet);
    }
    CompletableFuture<Void> step = new CompletableFuture<>();
    source.read(
        block * size.bytes(),
        length,
        plain,
        error -> {
          if (error != null) {
            packed.release();
            plain.release();
            step.completeExceptionally(error);
          } else {
            lane.late(worker -> pack(worker, disk, block, plain, length, packed, step));
          }
        });
    try {
      step.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof MoverException known ? known : e;
    }
    session.awaitResent();
  }

  private void pack(
      CpuPool.Worker worker,
      int disk,
      long block,
      BlockBuffer plain,
      int length,
      BlockBuffer packed,
      CompletableFuture<Void> step) {
    try {
      ByteBuffer bytes = plain.bytes(0, length);
      BlockId id = worker.digest().id(bytes);
      ByteBuffer payload = packed.bytes();
      Codec codec = worker.codec().pack(bytes, payload, request.compression());
      payload.flip();
      int crc = worker.digest().crc(payload);
      session.counters().sent(length, payload.remaining());
      session
          .link()
          .sendBulk(
              new BulkHeader(
                  BulkHeader.Kind.BLOCK, disk, block, id, codec, length, payload.remaining(), crc),
              payload,
              packed::release);
      step.complete(null);
    } catch (RuntimeException e) {
      packed.release();
      step.completeExceptionally(e);
    } finally {
      plain.release();
    }
  }
}
