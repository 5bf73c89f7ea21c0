// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.chain;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The bytes of a file, in pieces that no collector takes for huge. It is written once, from its begin to its end. */
final class KeptFile {
    private static final int PIECE = 1 << 18;

    private final List<byte[]> pieces = new ArrayList<>();
    private long length;

    long length() {
        return length;
    }

    void append(byte[] from, int offset, int count) {
        int done = 0;
        while (done < count) {
            int at = (int) (length % PIECE);
            if (at == 0) {
                pieces.add(new byte[PIECE]);
            }
            int now = Math.min(count - done, PIECE - at);
            System.arraycopy(from, offset + done, pieces.get(pieces.size() - 1), at, now);
            done += now;
            length += now;
        }
    }

    /** Bytes from a position on, as many as there is room for and are left in its piece; -1 at the end. */
    int read(long position, ByteBuffer into) {
        if (position >= length) {
            return -1;
        }
        int at = (int) (position % PIECE);
        int count = (int) Math.min(Math.min(into.remaining(), PIECE - at), length - position);
        into.put(pieces.get((int) (position / PIECE)), at, count);
        return count;
    }
}
