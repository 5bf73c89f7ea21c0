// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Objects;

/**
 * The rows of one column that are gathered for the next batch, in Arrow's layout, outside the heap.
 *
 * <p>The memory is kept from batch to batch, so that it stays in the processor's cache between gathering and writing. Append
 * only what fits: {@link SegmentWriter#room()} rows. A null takes its place by {@link #appendNull()}, or by
 * {@link #setNull(int)} after a bulk append that carried any value there. Not for several threads.
 */
public final class ColumnBuffer implements AutoCloseable {
  private static final int FIRST_DATA_BYTES = 64 << 10;

  private final ColumnType type;
  private final int capacity;
  private final ByteBuffer validity;
  private final ByteBuffer offsets;
  private final IntBuffer offsetInts;
  private ByteBuffer values;
  private final ShortBuffer shorts;
  private final IntBuffer ints;
  private final LongBuffer longs;
  private final FloatBuffer floats;
  private final DoubleBuffer doubles;
  private int rows;
  private int nulls;
  private int dataBytes;

  ColumnBuffer(ColumnType type, int capacity) {
    this.type = type;
    this.capacity = capacity;
    validity = NativeMemory.allocate((capacity + 7) / 8);
    offsets = type.hasOffsets() ? NativeMemory.allocate((capacity + 1L) * Integer.BYTES) : null;
    offsetInts = type.hasOffsets() ? offsets.asIntBuffer() : null;
    values = NativeMemory.allocate(type.hasOffsets() ? FIRST_DATA_BYTES : type.valueBytes(capacity));
    shorts = values.asShortBuffer();
    ints = values.asIntBuffer();
    longs = values.asLongBuffer();
    floats = values.asFloatBuffer();
    doubles = values.asDoubleBuffer();
    NativeMemory.fill(validity, 0, validity.capacity(), (byte) 0xFF);
  }

  public ColumnType type() {
    return type;
  }

  public int rows() {
    return rows;
  }

  int nulls() {
    return nulls;
  }

  boolean isNull(int row) {
    return (validity.get(row >> 3) >> (row & 7) & 1) == 0;
  }

  /** Where the characters of a row begin; of the row behind the last: where they end. */
  int offset(int row) {
    return offsetInts.get(row);
  }

  ByteBuffer values() {
    return values;
  }

  /** Bytes of characters gathered; 0 for columns without offsets. */
  int dataBytes() {
    return dataBytes;
  }

  public void appendNull() {
    if (type.hasOffsets()) {
      offsetInts.put(rows + 1, dataBytes);
    } else if (type.width() > 0) {
      int from = rows * type.width();
      NativeMemory.fill(values, from, from + type.width(), (byte) 0);
    }
    rows++;
    setNull(rows - 1);
  }

  /** Makes an appended row null, whatever value it carries. */
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

  /** Values of a fixed width from {@code address} outside the heap, as they stand there; booleans and decimals have their own layout here. */
  public void appendNative(long address, int count) {
    int width = type.width();
    Objects.checkFromIndexSize(rows, count, capacity);
    NativeMemory.copy(address, values, rows * width, count * width);
    rows += count;
  }

  /** Bytes of each Arrow buffer (validity, offsets where the type has them, values) as the record batch declares them, before padding. */
  long[] lengths() {
    long valid = nulls == 0 ? 0 : (rows + 7) / 8;
    return type.hasOffsets() ? new long[] {valid, (rows + 1L) * Integer.BYTES, dataBytes} : new long[] {valid, type.valueBytes(rows)};
  }

  /** The Arrow buffers, each padded with zeros to a multiple of 64 bytes; valid until the next append. */
  ByteBuffer[] contents() {
    long[] lengths = lengths();
    ByteBuffer[] all = type.hasOffsets() ? new ByteBuffer[] {validity, offsets, values} : new ByteBuffer[] {validity, values};
    ByteBuffer[] parts = new ByteBuffer[all.length];
    for (int i = 0; i < all.length; i++) {
      int padded = (int) Alignment.up(lengths[i]);
      NativeMemory.fill(all[i], (int) lengths[i], padded, (byte) 0);
      parts[i] = all[i].duplicate().position(0).limit(padded);
    }
    return parts;
  }

  void reset() {
    if (nulls > 0) {
      NativeMemory.fill(validity, 0, (int) Math.min(Alignment.up((rows + 7) / 8), validity.capacity()), (byte) 0xFF);
    }
    if (type.width() == 0) {
      NativeMemory.fill(values, 0, (rows + 7) / 8, (byte) 0);
    }
    rows = 0;
    nulls = 0;
    dataBytes = 0;
  }

  @Override
  public void close() {
    NativeMemory.release(validity);
    NativeMemory.release(values);
    if (offsets != null) {
      NativeMemory.release(offsets);
    }
  }

  private void setTrue(int row) {
    values.put(row >> 3, (byte) (values.get(row >> 3) | 1 << (row & 7)));
  }

  private void reserve(int count) {
    if (count > values.capacity() - dataBytes) {
      long wanted = Math.max((long) dataBytes + count, Math.min(2L * values.capacity(), SegmentWriter.MAX_SEGMENT_BYTES));
      if (wanted > SegmentWriter.MAX_SEGMENT_BYTES) {
        throw new SparkGapException(SparkGapException.DATA, "store", "a value of at most " + SegmentWriter.MAX_SEGMENT_BYTES + " bytes",
            count + " bytes", "Do leave that row out");
      }
      ByteBuffer larger = NativeMemory.allocate(wanted);
      larger.put(0, values, 0, dataBytes);
      NativeMemory.release(values);
      values = larger;
    }
  }

  int capacity() {
    return capacity;
  }
}
