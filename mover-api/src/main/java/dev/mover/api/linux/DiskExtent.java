package dev.mover.api.linux;

/**
 * Where a piece of a file lies on its device.
 *
 * @param offset in the file, in bytes
 * @param physical on the device, in bytes
 * @param shared whether another file, or another place of this one, has it too
 * @param plain whether {@code length} bytes of the device are what it takes: not so when it is
 *     compressed, packed together with others or not yet placed
 */
public record DiskExtent(long offset, long physical, long length, boolean shared, boolean plain) {}
