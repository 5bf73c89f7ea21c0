// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Reads the memory behind hwloc's pointers. All methods copy, except {@link #buffer}. */
final class RawMemory {
    private RawMemory() {}

    /** In the machine's byte order. */
    static ByteBuffer copy(long address, int bytes) {
        byte[] copy = new byte[bytes];
        new Pointer(address).read(0, copy, 0, bytes);
        return ByteBuffer.wrap(copy).order(ByteOrder.nativeOrder());
    }

    static long[] words(long address, int count) {
        return count == 0 ? new long[0] : new Pointer(address).getLongArray(0, count);
    }

    /** A text of C; null where there is none. */
    static String text(long address) {
        return address == 0 ? null : new Pointer(address).getString(0, StandardCharsets.UTF_8.name());
    }

    static String text(long address, int bytes) {
        return new String(new Pointer(address).getByteArray(0, bytes), StandardCharsets.UTF_8);
    }

    /** The memory itself. */
    static ByteBuffer buffer(long address, long bytes) {
        return new Pointer(address).getByteBuffer(0, bytes).order(ByteOrder.nativeOrder());
    }

    static long addressOf(ByteBuffer direct) {
        return Pointer.nativeValue(Native.getDirectBufferPointer(direct));
    }
}
