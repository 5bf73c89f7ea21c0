// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.RecordBatch;

/**
 * The places of one batch's columns, from its metadata. Arrow lists nodes and buffers depth-first: an array or a
 * struct, then what it is made of. Every address and length is checked against the batch's body.
 */
final class BatchPlaces {
    /** The number of nulls that some writers give for "unknown". */
    private static final long UNKNOWN = -1;

    private final RecordBatch batch;
    private final int index;
    private final long start;
    private final long body;
    private final long bodyBytes;
    private int node;
    private int buffer;

    /**
     * @param index number of the batch, for messages
     * @param start address of the file's first byte
     * @param body first byte of the batch's body in the file
     */
    BatchPlaces(RecordBatch batch, int index, long start, long body, long bodyBytes) {
        this.batch = batch;
        this.index = index;
        this.start = start;
        this.body = body;
        this.bodyBytes = bodyBytes;
    }

    List<ColumnPlace> read(List<Column> columns) {
        int expected = nodes(columns);
        // Flatbuffers does not check the end of a list.
        boolean whole = batch.nodesLength() == expected && batch.buffersLength() == buffers(columns);
        if (!whole || batch.length() < 0 || batch.length() > Integer.MAX_VALUE) {
            throw new CorruptSegmentException(
                    columns.size() + " columns of " + expected + " parts in batch " + index,
                    batch.nodesLength() + " parts of " + batch.length() + " rows in " + batch.buffersLength()
                            + " buffers");
        }
        return read(columns, batch.length());
    }

    /** @param rows the rows that each must have, or -1 for elements, which may have any number */
    private List<ColumnPlace> read(List<Column> columns, long rows) {
        List<ColumnPlace> places = new ArrayList<>(columns.size());
        for (Column column : columns) {
            places.add(read(column, rows));
        }
        return places;
    }

    private ColumnPlace read(Column column, long expected) {
        ColumnType type = column.type();
        FieldNode counts = batch.nodes(node++);
        long rows = counts.length();
        if (expected >= 0 && rows != expected || rows < 0 || rows > Integer.MAX_VALUE) {
            throw new CorruptSegmentException(
                    (expected < 0 ? "a number of" : expected + "") + " rows in batch " + index + " of column "
                            + column.name(),
                    rows + " rows");
        }
        long said = counts.nullCount();
        boolean hasNulls = said > 0 || said == UNKNOWN && batch.buffers(buffer).length() > 0;
        long bits = place(hasNulls ? (rows + 7) / 8 : 0, column);
        long nulls = hasNulls ? NativeMemory.clearBits(bits, (int) rows) : 0;
        if (nulls != said && said != UNKNOWN) {
            throw new CorruptSegmentException(
                    nulls + " nulls in batch " + index + " of column " + column.name() + ", as its bits say",
                    said + " of them");
        }
        long offsets = type.hasOffsets() ? place(rows == 0 ? 0 : (rows + 1) * Integer.BYTES, column) : 0;
        if (type.isNested()) {
            List<ColumnPlace> children = read(type.children(), type.hasOffsets() ? -1 : rows);
            return new ColumnPlace(column, (int) rows, nulls, nulls > 0 ? bits : 0, offsets, 0, 0, children);
        }
        long dataBytes = batch.buffers(buffer).length();
        long values = place(type.valueBytes(rows), column);
        return new ColumnPlace(column, (int) rows, nulls, nulls > 0 ? bits : 0, offsets, values, dataBytes, List.of());
    }

    /** The address of the next buffer, which must hold {@code needed} bytes. */
    private long place(long needed, Column column) {
        Buffer next = batch.buffers(buffer++);
        boolean inside = next.offset() >= 0
                && next.length() >= 0
                && next.offset() <= bodyBytes
                && next.length() <= bodyBytes - next.offset();
        if (!inside || (body + next.offset()) % Long.BYTES != 0) {
            throw new CorruptSegmentException(
                    "aligned buffers inside the body", "offset " + next.offset() + ", " + next.length() + " bytes");
        }
        if (next.length() < needed) {
            throw new CorruptSegmentException(
                    needed + " bytes in batch " + index + " of column " + column.name(), next.length() + " bytes");
        }
        return start + body + next.offset();
    }

    private static int nodes(List<Column> columns) {
        int all = 0;
        for (Column column : columns) {
            all += 1 + nodes(column.type().children());
        }
        return all;
    }

    private static int buffers(List<Column> columns) {
        int all = 0;
        for (Column column : columns) {
            ColumnType type = column.type();
            all += 1 + (type.hasOffsets() ? 1 : 0) + (type.isNested() ? buffers(type.children()) : 1);
        }
        return all;
    }
}
