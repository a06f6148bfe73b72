package dev.mover.proxy.pipeline;

import dev.mover.proxy.BackupRequest;
import dev.mover.proxy.ProxyMemory;

/**
 * What the steps of one session share.
 *
 * @param slots of this proxy, taken a task at a time
 * @param monitor guards whatever does not say otherwise
 */
record Session(
    BackupRequest request,
    ProxyMemory memory,
    CpuPool cpu,
    TaskSlots.Holder slots,
    SessionLink link,
    SessionMonitor monitor,
    SessionFigures figures,
    SessionProgress progress,
    Admission admission,
    Encryption encryption,
    DiskSeals seals) {}
