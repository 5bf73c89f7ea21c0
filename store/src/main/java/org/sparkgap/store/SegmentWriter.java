// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Rows of one task as segments {@code <prefix>-<n>.arrow}.
 *
 * <p>Append at most {@link #room()} rows to every {@link #column}, call {@link #advance}, and repeat; {@link #finish()}
 * returns the segments. {@link #close()} without finish removes the files, so a failed task leaves none.
 *
 * <p>Errors: code 4 if the folder's device is full or the folder cannot be written.
 */
public final class SegmentWriter implements AutoCloseable {
    /** The JVM maps less than 2 GB at once; FORMAT.md allows half of that. */
    public static final int MAX_SEGMENT_BYTES = 1 << 30;

    public static final int BATCH_ROWS = 1 << 16;
    /** A batch of wide or long rows ends before it far exceeds the processor's caches. */
    private static final long BATCH_BYTES = 16 << 20;

    private static final int MIN_BATCH_ROWS = 64;

    private final SegmentPlace place;
    private final String prefix;
    private final String host;
    private final List<Column> columns;
    /** The columns of the current segment; some may be narrowed. */
    private final List<Column> written;

    private final long segmentBytes;
    private final boolean statistics;
    private final List<ColumnBuffer> buffers = new ArrayList<>();
    /** The buffers of all columns, each followed by those of its elements or fields. */
    private final List<ColumnBuffer> nodes;

    private final int batchRows;
    private final List<SegmentInfo> segments = new ArrayList<>();
    private final List<WrittenBatch> batches = new ArrayList<>();
    private final List<ArrowMetadata.BlockPlace> blocks = new ArrayList<>();
    private final CRC32C checksum = new CRC32C();
    private Path directory;
    private FileChannel channel;
    private Path part;
    private long bytes;
    private long rowsInSegment;
    private int gathered;
    private boolean finished;

    /** No file is opened before the first full batch or finish. */
    public SegmentWriter(Path directory, String prefix, String host, List<Column> columns, long segmentBytes) {
        this(SegmentPlace.of(directory), prefix, host, columns, segmentBytes, false);
    }

    /** @param statistics whether {@link #batches} hold bounds of each column's values */
    public SegmentWriter(
            SegmentPlace place,
            String prefix,
            String host,
            List<Column> columns,
            long segmentBytes,
            boolean statistics) {
        this.place = place;
        this.statistics = statistics;
        this.prefix = prefix;
        this.host = host;
        this.columns = List.copyOf(columns);
        this.written = new ArrayList<>(columns);
        this.segmentBytes = Math.min(segmentBytes, MAX_SEGMENT_BYTES);
        long rowBytes =
                Math.max(1, columns.stream().mapToLong(c -> c.type().rowBytes()).sum());
        batchRows = (int) Math.max(MIN_BATCH_ROWS, Math.min(BATCH_ROWS, (BATCH_BYTES / rowBytes) & -MIN_BATCH_ROWS));
        for (Column column : this.columns) {
            buffers.add(new ColumnBuffer(column.type(), batchRows));
        }
        nodes = ColumnBuffer.depthFirst(buffers);
    }

    public ColumnBuffer column(int index) {
        return buffers.get(index);
    }

    /**
     * Lets a bigint column be int in segments whose values all fit, for half the bytes: for readers that ask each
     * segment for its types. Call it before the first row, and not together with statistics.
     */
    public void narrow(int index) {
        Column column = columns.get(index);
        if (statistics || column.type().kind() != ColumnType.Kind.BIGINT) {
            throw new IllegalArgumentException(column + (statistics ? " with statistics" : ""));
        }
        written.set(index, new Column(column.name(), ColumnType.of(ColumnType.Kind.INT), column.nullable()));
    }

    /** The number of rows that may be appended before {@link #advance}; at least 1. */
    public int room() {
        return batchRows - gathered;
    }

    /** Notes that every column has {@code rows} more rows. */
    public void advance(int rows) {
        gathered += rows;
        if (gathered == batchRows || characters() > BATCH_BYTES) {
            writeBatch();
        }
    }

    /** Writes the rest and returns the segments in row order; none without rows, unless {@code evenEmpty}. */
    public List<SegmentInfo> finish(boolean evenEmpty) {
        if (gathered > 0 || evenEmpty && segments.isEmpty() && channel == null) {
            writeBatch();
        }
        if (channel != null) {
            endSegment();
        }
        finished = true;
        return List.copyOf(segments);
    }

    /** The batches that were written so far, in row order. */
    public List<WrittenBatch> batches() {
        return List.copyOf(batches);
    }

    /** Frees the memory, and removes the files unless finish was reached. */
    @Override
    public void close() {
        nodes.forEach(ColumnBuffer::close);
        nodes.clear();
        buffers.clear();
        if (!finished) {
            discard();
        }
    }

    private long characters() {
        long bytes = 0;
        for (ColumnBuffer buffer : nodes) {
            bytes += buffer.dataBytes();
        }
        return bytes;
    }

    /** The first value that fits no int ends the segment, and with it the column's narrow part. */
    private void narrowBatch() {
        for (int i = 0; i < columns.size(); i++) {
            if (!written.get(i).equals(columns.get(i)) && !buffers.get(i).narrow()) {
                if (channel != null) {
                    endSegment();
                }
                written.set(i, columns.get(i));
            }
        }
    }

    private void writeBatch() {
        narrowBatch();
        List<ByteBuffer> parts = new ArrayList<>();
        ByteBuffer message = ArrowMetadata.recordBatch(gathered, nodes);
        int metadataBytes = message.remaining();
        parts.add(message);
        long body = 0;
        for (ColumnBuffer buffer : nodes) {
            for (ByteBuffer content : buffer.contents()) {
                body += content.remaining();
                parts.add(content);
            }
        }
        // The tail is about 24 bytes per batch and small per column; 64 KiB + that is a safe allowance.
        long tail = (64L << 10) + 64L * (blocks.size() + 1) + 256L * nodes.size();
        if (channel != null
                && (bytes + metadataBytes + body + tail > segmentBytes || !place.grow(metadataBytes + body))) {
            endSegment();
        }
        if (metadataBytes + body + 2 * tail > MAX_SEGMENT_BYTES) {
            throw new SparkGapException(
                    SparkGapException.DATA,
                    "store",
                    "a batch of at most " + MAX_SEGMENT_BYTES + " bytes",
                    body + " bytes in " + gathered + " rows",
                    "Do leave the longest values out");
        }
        if (channel == null) {
            directory = place.begin(metadataBytes + body + tail);
            beginSegment();
        }
        batches.add(new WrittenBatch(
                segments.size(),
                blocks.size(),
                gathered,
                statistics ? buffers.stream().map(ColumnStatistics::of).toList() : List.of()));
        long offset = bytes;
        write(parts);
        blocks.add(new ArrowMetadata.BlockPlace(offset, metadataBytes, body));
        rowsInSegment += gathered;
        gathered = 0;
        nodes.forEach(ColumnBuffer::reset);
    }

    private void beginSegment() {
        part = directory.resolve(prefix + "-" + segments.size() + ".arrow.part");
        try {
            channel = FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(directory, e);
        }
        bytes = 0;
        rowsInSegment = 0;
        blocks.clear();
        checksum.reset();
        write(List.of(ArrowMetadata.head(written)));
    }

    private void endSegment() {
        write(List.of(ArrowMetadata.tail(written, blocks)));
        Path whole = directory.resolve(prefix + "-" + segments.size() + ".arrow");
        try {
            channel.close();
            channel = null;
            Files.move(part, whole, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(directory, e);
        }
        part = null;
        segments.add(new SegmentInfo(
                host, whole.toString(), rowsInSegment, bytes, HexFormat.of().toHexDigits((int) checksum.getValue())));
    }

    private void write(List<ByteBuffer> parts) {
        ByteBuffer[] all = parts.stream().filter(ByteBuffer::hasRemaining).toArray(ByteBuffer[]::new);
        long left = 0;
        for (ByteBuffer buffer : all) {
            left += buffer.remaining();
            checksum.update(buffer.duplicate());
        }
        bytes += left;
        try {
            int first = 0;
            while (left > 0) {
                left -= channel.write(all, first, all.length - first);
                while (first < all.length && !all[first].hasRemaining()) {
                    first++;
                }
            }
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(directory, e);
        }
    }

    private void discard() {
        try {
            if (channel != null) {
                channel.close();
            }
            if (part != null) {
                Files.deleteIfExists(part);
            }
            for (SegmentInfo segment : segments) {
                Files.deleteIfExists(Path.of(segment.path()));
            }
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(directory, e);
        }
    }
}
