// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.chain;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.ByteBufferReadable;
import org.apache.hadoop.fs.CanSetDropBehind;
import org.apache.hadoop.fs.CanSetReadahead;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StreamCapabilities;

/** A file that is kept, read as one of HDFS is, and counted as one. */
final class KeptInput extends FSInputStream
        implements ByteBufferReadable, CanSetDropBehind, CanSetReadahead, StreamCapabilities {
    private final KeptFile file;
    private final FileSystem.Statistics statistics;
    private long at;
    private boolean isClosed;

    KeptInput(KeptFile file, FileSystem.Statistics statistics) {
        this.file = file;
        this.statistics = statistics;
    }

    @Override
    public synchronized int read() throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        return read(one) < 0 ? -1 : one.get(0) & 0xff;
    }

    @Override
    public synchronized int read(byte[] into, int offset, int count) throws IOException {
        return read(ByteBuffer.wrap(into, offset, count));
    }

    @Override
    public synchronized int read(ByteBuffer into) throws IOException {
        requireOpen();
        if (!into.hasRemaining()) {
            return 0;
        }
        int count = file.read(at, into);
        if (count > 0) {
            at += count;
            statistics.incrementBytesRead(count);
        }
        return count;
    }

    @Override
    public synchronized void seek(long position) throws IOException {
        requireOpen();
        if (position < 0) {
            throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK);
        }
        if (position > file.length()) {
            throw new EOFException(FSExceptionMessages.CANNOT_SEEK_PAST_EOF);
        }
        at = position;
    }

    @Override
    public synchronized long getPos() {
        return at;
    }

    @Override
    public synchronized long skip(long count) throws IOException {
        requireOpen();
        long now = Math.min(Math.max(0, count), file.length() - at);
        at += now;
        return now;
    }

    @Override
    public synchronized int available() throws IOException {
        requireOpen();
        return (int) Math.min(Integer.MAX_VALUE, file.length() - at);
    }

    /** There is no other copy, as HDFS has. */
    @Override
    public boolean seekToNewSource(long position) {
        return false;
    }

    @Override
    public void setReadahead(Long bytes) {}

    @Override
    public void setDropBehind(Boolean ignored) {}

    @Override
    public boolean hasCapability(String capability) {
        return capability.equals(StreamCapabilities.READBYTEBUFFER);
    }

    @Override
    public synchronized void close() {
        isClosed = true;
    }

    private void requireOpen() throws IOException {
        if (isClosed) {
            throw new IOException(FSExceptionMessages.STREAM_IS_CLOSED);
        }
    }
}
