// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.chain;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.fs.CanSetDropBehind;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;

/** A file that is written to HDFS, and copied as it goes. Its copy is given away once all of it is in HDFS. */
final class CopiedOutput extends OutputStream implements CanSetDropBehind, StreamCapabilities, Syncable {
    /** Hears once that a file is whole in HDFS. */
    interface Keeper {
        /**
         * Takes a copy of it.
         *
         * @param copy or null: the file is empty, or too long for one
         */
        void keep(KeptFile copy);
    }

    private final FSDataOutputStream out;
    private final long longest;
    private final Keeper keeper;
    private KeptFile copy = new KeptFile();
    private boolean isClosed;

    CopiedOutput(FSDataOutputStream out, long longest, Keeper keeper) {
        this.out = out;
        this.longest = longest;
        this.keeper = keeper;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] from, int offset, int count) throws IOException {
        try {
            out.write(from, offset, count);
        } catch (IOException e) {
            copy = null; // nobody knows how much of it was written
            throw e;
        }
        if (copy != null && copy.length() + count > longest) {
            copy = null;
        }
        if (copy != null) {
            copy.append(from, offset, count);
        }
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    @Override
    public void hflush() throws IOException {
        out.hflush();
    }

    @Override
    public void hsync() throws IOException {
        out.hsync();
    }

    @Override
    public void setDropBehind(Boolean dropCache) throws IOException {
        out.setDropBehind(dropCache);
    }

    @Override
    public boolean hasCapability(String capability) {
        return out.hasCapability(capability);
    }

    @Override
    public synchronized void close() throws IOException {
        boolean isFirst = !isClosed;
        isClosed = true;
        out.close();
        if (isFirst) {
            keeper.keep(copy == null || copy.length() == 0 ? null : copy);
        }
        copy = null;
    }
}
