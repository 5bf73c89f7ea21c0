// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shuffle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.util.collection.unsafe.sort.UnsafeSorterIterator;
import scala.Tuple2;

/**
 * Records by partition as Spark's shuffle takes them: whole ones, one behind the other, each with the lengths of its
 * key and its value. A chunk ends where the next record would make it longer than {@value #BYTES}, or is of another
 * partition.
 */
final class Chunks implements Iterator<Tuple2<Object, byte[]>> {
    static final int BYTES = 256 << 10;
    private final UnsafeSorterIterator sorted;
    private boolean isAhead;

    Chunks(SortedRecords records) throws IOException {
        this.sorted = records.iterator();
    }

    @Override
    public boolean hasNext() {
        return isAhead || sorted.hasNext();
    }

    @Override
    public Tuple2<Object, byte[]> next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        try {
            return made();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Tuple2<Object, byte[]> made() throws IOException {
        advance();
        int partition = partition();
        byte[] chunk = new byte[Math.max(BYTES, sorted.getRecordLength())];
        int length = 0;
        while (advance() && partition() == partition && length + sorted.getRecordLength() <= chunk.length) {
            length = put(chunk, length);
            isAhead = false;
        }
        return new Tuple2<>(partition, length == chunk.length ? chunk : Arrays.copyOf(chunk, length));
    }

    private boolean advance() throws IOException {
        if (!isAhead && sorted.hasNext()) {
            sorted.loadNext();
            isAhead = true;
        }
        return isAhead;
    }

    private int partition() {
        return Platform.getInt(sorted.getBaseObject(), sorted.getBaseOffset());
    }

    /** In a chunk a record has two lengths too, in the byte order of all machines. */
    private int put(byte[] chunk, int at) {
        Object base = sorted.getBaseObject();
        long from = sorted.getBaseOffset();
        int keyLength = Platform.getInt(base, from + Integer.BYTES);
        int length = sorted.getRecordLength() - SortedRecords.HEADER;
        ByteBuffer.wrap(chunk, at, SortedRecords.HEADER).putInt(keyLength).putInt(length - keyLength);
        Platform.copyMemory(
                base,
                from + SortedRecords.HEADER,
                chunk,
                Platform.BYTE_ARRAY_OFFSET + at + SortedRecords.HEADER,
                length);
        return at + SortedRecords.HEADER + length;
    }

    /** Puts the records of a chunk among others, all as of partition 0. */
    static void addTo(SortedRecords records, byte[] chunk) throws IOException {
        ByteBuffer lengths = ByteBuffer.wrap(chunk);
        int at = 0;
        while (at < chunk.length) {
            int keyLength = lengths.getInt(at);
            int valueLength = lengths.getInt(at + Integer.BYTES);
            int keyFrom = at + SortedRecords.HEADER;
            records.add(0, chunk, keyFrom, keyLength, chunk, keyFrom + keyLength, valueLength);
            at = keyFrom + keyLength + valueLength;
        }
    }
}
