// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import sun.misc.Unsafe;

/**
 * The address of a direct buffer, values copied to, narrowed and filled in there, and its release before the collector
 * comes by.
 *
 * <p>Java 17 has no public call for either (Java 22's MemorySegment has both), so this one file uses sun.misc.Unsafe.
 * Spark's launcher allows that class up to Java 25.
 */
final class NativeMemory {
    private static final Unsafe UNSAFE;
    private static final long ADDRESS_FIELD;

    static {
        try {
            Field instance = Unsafe.class.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            UNSAFE = (Unsafe) instance.get(null);
            ADDRESS_FIELD = UNSAFE.objectFieldOffset(Buffer.class.getDeclaredField("address"));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private NativeMemory() {}

    /** A zeroed little-endian buffer outside the heap whose capacity is a multiple of 64. */
    static ByteBuffer allocate(long bytes) {
        return ByteBuffer.allocateDirect(Math.toIntExact(Alignment.up(bytes))).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The buffer must not be used afterwards. */
    static void release(ByteBuffer allocated) {
        UNSAFE.invokeCleaner(allocated);
    }

    /**
     * One call of the JVM's own: a loop over bytes runs before it is compiled, and is compiled for some hundred calls.
     */
    static void fill(ByteBuffer direct, int from, int to, byte value) {
        Objects.checkFromToIndex(from, to, direct.capacity());
        UNSAFE.setMemory(address(direct) + from, to - from, value);
    }

    static void copy(long address, ByteBuffer direct, int at, int bytes) {
        Objects.checkFromIndexSize(at, bytes, direct.capacity());
        UNSAFE.copyMemory(address, address(direct) + at, bytes);
    }

    /**
     * Writes {@code count} longs as ints; says false where one of them does not fit, and what was written is of no use
     * then.
     */
    static boolean narrow(ByteBuffer longs, ByteBuffer ints, int count) {
        Objects.checkFromIndexSize(0, count * Long.BYTES, longs.capacity());
        Objects.checkFromIndexSize(0, count * Integer.BYTES, ints.capacity());
        long from = address(longs);
        long to = address(ints);
        long beyond = 0;
        for (int i = 0; i < count; i++) {
            long value = UNSAFE.getLong(from + (long) i * Long.BYTES);
            UNSAFE.putInt(to + (long) i * Integer.BYTES, (int) value);
            beyond |= value - Integer.MIN_VALUE;
        }
        return beyond >>> Integer.SIZE == 0;
    }

    /** How many of the first bits are zero; the address is a multiple of 8, and all bytes of the bits are there. */
    static int clearBits(long address, int bits) {
        int set = 0;
        long at = 0;
        for (; at + Long.SIZE <= bits; at += Long.SIZE) {
            set += Long.bitCount(UNSAFE.getLong(address + at / Byte.SIZE));
        }
        for (; at < bits; at += Byte.SIZE) {
            int rest = bits - at < Byte.SIZE ? (1 << (int) (bits - at)) - 1 : 0xFF;
            set += Integer.bitCount(UNSAFE.getByte(address + at / Byte.SIZE) & rest);
        }
        return bits - set;
    }

    static long address(ByteBuffer direct) {
        return UNSAFE.getLong(direct, ADDRESS_FIELD);
    }
}
