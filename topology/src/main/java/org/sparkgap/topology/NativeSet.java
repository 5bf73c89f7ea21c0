// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

/** A set handed to hwloc or filled by it, in native memory until closed. */
final class NativeSet implements AutoCloseable {
    /** A function of hwloc on a topology and a set, 0 where it worked. */
    interface Call {
        int apply(long topology, long set);
    }

    final long address;

    private NativeSet(long address) {
        if (address == 0) {
            throw HwlocException.failed("hwloc_bitmap_alloc", "give the process more memory");
        }
        this.address = address;
    }

    static NativeSet empty() {
        return new NativeSet(Calls.hwloc_bitmap_alloc());
    }

    static NativeSet of(Bitmap set) {
        NativeSet copy = empty();
        for (int i = 0; i < set.wordCount(); i++) {
            Calls.hwloc_bitmap_set_ith_ulong(copy.address, i, set.word(i));
        }
        if (set.isEndless()) {
            Calls.hwloc_bitmap_set_range(copy.address, set.wordCount() * 64, -1);
        }
        return copy;
    }

    Bitmap read() {
        return read(address);
    }

    /** Of a set that hwloc owns; null where there is none. */
    static Bitmap read(long address) {
        if (address == 0) {
            return null;
        }
        int last = Calls.hwloc_bitmap_last(address);
        int lastUnset = last < 0 ? Calls.hwloc_bitmap_last_unset(address) : -1;
        // Neither last: an empty set. hwloc_bitmap_last_unset is -1 too for a full one, whose first word tells.
        boolean endless = last < 0 && Calls.hwloc_bitmap_to_ith_ulong(address, (lastUnset + 64) / 64) != 0;
        long[] words = new long[(Math.max(last, endless ? lastUnset : -1) + 64) / 64];
        for (int i = 0; i < words.length; i++) {
            words[i] = Calls.hwloc_bitmap_to_ith_ulong(address, i);
        }
        return Bitmap.ofWords(endless, words);
    }

    @Override
    public void close() {
        Calls.hwloc_bitmap_free(address);
    }
}
