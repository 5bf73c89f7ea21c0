// Copyright 2026 the sparkgap authors. Over 400 lines: one buffer, and a method for each type that it can hold.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The rows of one column for the next batch, in Arrow's layout, outside the heap.
 *
 * <p>The memory is kept from batch to batch, so that it stays in the processor's cache between gathering and writing.
 * Append at most {@link SegmentWriter#room()} rows. Append a null by {@link #appendNull()}, or mark it by
 * {@link #setNull(int)} after a bulk append. Not thread-safe.
 *
 * <p>Elements and fields have buffers of their own, {@link #child}. {@link #appendArray} makes room for the elements,
 * so that appending a value never asks for it; {@link #appendStructs} comes with as many rows in each field.
 */
public final class ColumnBuffer implements AutoCloseable {
    private static final int FIRST_DATA_BYTES = 64 << 10;
    private static final int FIRST_ELEMENTS = 1 << 10;
    private static final ColumnType INT = ColumnType.of(ColumnType.Kind.INT);

    private final ColumnType type;
    /**
     * Whether these are elements, or fields of elements: as many as the arrays need, whatever the rows of the batch.
     */
    private final boolean grows;

    private final boolean hasCharacters;
    private final ColumnBuffer[] children;
    private int capacity;
    private ByteBuffer validity;
    private ByteBuffer offsets;
    private IntBuffer offsetInts;
    private ByteBuffer values;
    private ShortBuffer shorts;
    private IntBuffer ints;
    private LongBuffer longs;
    private FloatBuffer floats;
    private DoubleBuffer doubles;
    private int rows;
    private int nulls;
    private int dataBytes;
    private ByteBuffer narrowValues;
    private boolean isNarrow;

    ColumnBuffer(ColumnType type, int capacity) {
        this(type, capacity, false);
    }

    private ColumnBuffer(ColumnType type, int capacity, boolean grows) {
        this.type = type;
        this.grows = grows;
        hasCharacters = type.hasOffsets() && !type.isNested();
        int below = type.hasOffsets() ? FIRST_ELEMENTS : capacity;
        children = type.children().stream()
                .map(c -> new ColumnBuffer(c.type(), below, grows || type.hasOffsets()))
                .toArray(ColumnBuffer[]::new);
        values = hasCharacters ? NativeMemory.allocate(FIRST_DATA_BYTES) : null;
        allocate(capacity);
    }

    /** Every buffer of these columns: a column's own, then those of its elements or fields. The list may be changed. */
    static List<ColumnBuffer> depthFirst(List<ColumnBuffer> columns) {
        List<ColumnBuffer> all = new ArrayList<>();
        for (ColumnBuffer column : columns) {
            all.add(column);
            all.addAll(depthFirst(List.of(column.children)));
        }
        return all;
    }

    public ColumnType type() {
        return type;
    }

    public int rows() {
        return rows;
    }

    /** The elements of an array column, or a field of a struct column. */
    public ColumnBuffer child(int index) {
        return children[index];
    }

    int nulls() {
        return nulls;
    }

    boolean isNull(int row) {
        return (validity.get(row >> 3) >> (row & 7) & 1) == 0;
    }

    /** Where the characters of a row begin; for the row after the last, where they end. */
    int offset(int row) {
        return offsetInts.get(row);
    }

    ByteBuffer values() {
        return values;
    }

    /** Bytes of characters and elements, whose number per row varies. */
    long dataBytes() {
        return grows ? dataBytes + (long) rows * type.rowBytes() : dataBytes;
    }

    public void appendNull() {
        appendEmpty();
        setNull(rows - 1);
    }

    /**
     * Appends a row of zeros, without characters or elements, below a null, so that a field that is never null stays
     * so.
     */
    private void appendEmpty() {
        if (type.hasOffsets()) {
            offsetInts.put(rows + 1, offsetInts.get(rows));
        } else if (type.width() > 0) {
            int from = rows * type.width();
            NativeMemory.fill(values, from, from + type.width(), (byte) 0);
        } else {
            for (ColumnBuffer field : children) {
                field.appendEmpty();
            }
        }
        rows++;
    }

    /** An array of that many elements, which are to be appended to {@link #child}(0) next. */
    public void appendArray(int elements) {
        ColumnBuffer to = children[0];
        to.makeRoom(elements);
        offsetInts.put(++rows, to.rows + elements);
    }

    /** Structs, a row of each field for every one of them, appended before or next. */
    public void appendStructs(int count) {
        rows += count;
    }

    /** Makes an appended row null. */
    public void setNull(int row) {
        int at = row >> 3;
        int bit = 1 << (row & 7);
        int old = validity.get(at);
        if ((old & bit) != 0) {
            validity.put(at, (byte) (old & ~bit));
            nulls++;
        }
    }

    public void appendBoolean(boolean value) {
        if (value) {
            setTrue(rows);
        }
        rows++;
    }

    public void appendByte(byte value) {
        values.put(rows++, value);
    }

    public void appendShort(short value) {
        shorts.put(rows++, value);
    }

    /** An int, or the day of a date. */
    public void appendInt(int value) {
        ints.put(rows++, value);
    }

    /** A bigint, or the microsecond of a timestamp. */
    public void appendLong(long value) {
        longs.put(rows++, value);
    }

    public void appendFloat(float value) {
        floats.put(rows++, value);
    }

    public void appendDouble(double value) {
        doubles.put(rows++, value);
    }

    /** A decimal as its digits without the point. */
    public void appendDecimal(long unscaled) {
        longs.put(2 * rows, unscaled);
        longs.put(2 * rows + 1, unscaled >> 63);
        rows++;
    }

    /** A decimal as its digits without the point, for more than 18 of them. */
    public void appendDecimal(BigInteger unscaled) {
        longs.put(2 * rows, unscaled.longValue());
        longs.put(2 * rows + 1, unscaled.shiftRight(64).longValue());
        rows++;
    }

    /** A string's UTF-8 or a binary value. */
    public void appendBytes(byte[] bytes, int from, int count) {
        reserve(count);
        values.put(dataBytes, bytes, from, count);
        dataBytes += count;
        offsetInts.put(++rows, dataBytes);
    }

    public void appendBooleans(boolean[] from, int start, int count) {
        for (int i = 0; i < count; i++) {
            if (from[start + i]) {
                setTrue(rows + i);
            }
        }
        rows += count;
    }

    /** A range of tinyints, one per row. */
    public void appendTinyints(byte[] from, int start, int count) {
        values.put(rows, from, start, count);
        rows += count;
    }

    public void appendShorts(short[] from, int start, int count) {
        shorts.put(rows, from, start, count);
        rows += count;
    }

    public void appendInts(int[] from, int start, int count) {
        ints.put(rows, from, start, count);
        rows += count;
    }

    public void appendLongs(long[] from, int start, int count) {
        longs.put(rows, from, start, count);
        rows += count;
    }

    public void appendFloats(float[] from, int start, int count) {
        floats.put(rows, from, start, count);
        rows += count;
    }

    public void appendDoubles(double[] from, int start, int count) {
        doubles.put(rows, from, start, count);
        rows += count;
    }

    /**
     * Values of a fixed width from {@code address} outside the heap, as they stand there; booleans and decimals have
     * their own layout here.
     */
    public void appendNative(long address, int count) {
        int width = type.width();
        Objects.checkFromIndexSize(rows, count, capacity);
        NativeMemory.copy(address, values, rows * width, count * width);
        rows += count;
    }

    /**
     * Narrows the bigints to ints until the next reset(); nothing may be appended before that. Does nothing and returns
     * false if one of them does not fit.
     */
    boolean narrow() {
        if (narrowValues == null) {
            narrowValues = NativeMemory.allocate(INT.valueBytes(capacity));
        }
        isNarrow = NativeMemory.narrow(values, narrowValues, rows);
        return isNarrow;
    }

    /**
     * Bytes of each own Arrow buffer (validity, offsets and values where the type has them) as the record batch
     * declares them, before padding.
     */
    long[] lengths() {
        long valid = nulls == 0 ? 0 : (rows + 7) / 8;
        if (type.isNested()) {
            return type.hasOffsets() ? new long[] {valid, (rows + 1L) * Integer.BYTES} : new long[] {valid};
        }
        return type.hasOffsets()
                ? new long[] {valid, (rows + 1L) * Integer.BYTES, dataBytes}
                : new long[] {valid, (isNarrow ? INT : type).valueBytes(rows)};
    }

    /** The own Arrow buffers, each padded with zeros to a multiple of 64 bytes; valid until the next append. */
    ByteBuffer[] contents() {
        checkChildren();
        long[] lengths = lengths();
        ByteBuffer[] all = type.hasOffsets()
                ? new ByteBuffer[] {validity, offsets, values}
                : new ByteBuffer[] {validity, isNarrow ? narrowValues : values};
        ByteBuffer[] parts = new ByteBuffer[lengths.length];
        for (int i = 0; i < parts.length; i++) {
            int padded = (int) Alignment.up(lengths[i]);
            NativeMemory.fill(all[i], (int) lengths[i], padded, (byte) 0);
            parts[i] = all[i].duplicate().position(0).limit(padded);
        }
        return parts;
    }

    void reset() {
        if (nulls > 0) {
            NativeMemory.fill(
                    validity, 0, (int) Math.min(Alignment.up((rows + 7) / 8), validity.capacity()), (byte) 0xFF);
        }
        if (type.width() == 0) {
            NativeMemory.fill(values, 0, (rows + 7) / 8, (byte) 0);
        }
        rows = 0;
        nulls = 0;
        dataBytes = 0;
        isNarrow = false;
    }

    @Override
    public void close() {
        release(validity);
        release(values);
        release(narrowValues);
        release(offsets);
    }

    int capacity() {
        return capacity;
    }

    private void setTrue(int row) {
        values.put(row >> 3, (byte) (values.get(row >> 3) | 1 << (row & 7)));
    }

    private void reserve(int count) {
        if (count > values.capacity() - dataBytes) {
            long wanted = Math.max(
                    (long) dataBytes + count, Math.min(2L * values.capacity(), SegmentWriter.MAX_SEGMENT_BYTES));
            if (wanted > SegmentWriter.MAX_SEGMENT_BYTES) {
                throw new SparkGapException(
                        SparkGapException.DATA,
                        "store",
                        "a value of at most " + SegmentWriter.MAX_SEGMENT_BYTES + " bytes",
                        count + " bytes",
                        "Do leave that row out");
            }
            values = moved(values, dataBytes, wanted);
        }
    }

    private void makeRoom(int more) {
        if (more > capacity - rows) {
            long most = SegmentWriter.MAX_SEGMENT_BYTES / type.rowBytes() - 1;
            long wanted = Math.max((long) rows + more, Math.min(2L * capacity, most));
            if (wanted > most) {
                throw new SparkGapException(
                        SparkGapException.DATA,
                        "store",
                        "at most " + most + " elements in the arrays of a batch",
                        (long) rows + more + " elements",
                        "Do leave the longest arrays out");
            }
            allocate((int) wanted);
        }
        if (!type.hasOffsets()) {
            for (ColumnBuffer field : children) {
                field.makeRoom(more);
            }
        }
    }

    /**
     * Room for {@code capacity} rows, those that are gathered moved there; zeros behind them, and all of them valid.
     */
    private void allocate(int capacity) {
        this.capacity = capacity;
        validity = moved(validity, (rows + 7) / 8, (capacity + 7) / 8);
        NativeMemory.fill(validity, (rows + 7) / 8, validity.capacity(), (byte) 0xFF);
        if (type.hasOffsets()) {
            offsets = moved(offsets, (rows + 1) * Integer.BYTES, (capacity + 1L) * Integer.BYTES);
            offsetInts = offsets.asIntBuffer();
        } else if (!type.isNested()) {
            values = moved(values, (int) type.valueBytes(rows), type.valueBytes(capacity));
            shorts = values.asShortBuffer();
            ints = values.asIntBuffer();
            longs = values.asLongBuffer();
            floats = values.asFloatBuffer();
            doubles = values.asDoubleBuffer();
        }
    }

    private static ByteBuffer moved(ByteBuffer from, int count, long bytes) {
        ByteBuffer to = NativeMemory.allocate(bytes);
        if (from != null) {
            to.put(0, from, 0, count);
            NativeMemory.release(from);
        }
        return to;
    }

    private static void release(ByteBuffer buffer) {
        if (buffer != null) {
            NativeMemory.release(buffer);
        }
    }

    /** Checks that a caller appended as many elements as it announced. */
    private void checkChildren() {
        for (ColumnBuffer child : children) {
            int expected = type.hasOffsets() ? offsetInts.get(rows) : rows;
            if (child.rows != expected) {
                throw new IllegalStateException(
                        type.ddl() + ": expected " + expected + " rows below, found " + child.rows);
            }
        }
    }
}
