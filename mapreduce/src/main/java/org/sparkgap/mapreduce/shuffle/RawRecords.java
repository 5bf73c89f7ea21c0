// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shuffle;

import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.util.collection.unsafe.sort.UnsafeSorterIterator;

/**
 * Sorted records as Hadoop's reducers and combiners read them: of one partition after the other, or of all as of one.
 * Keys and values stand in buffers that the next record overwrites.
 */
final class RawRecords implements RawKeyValueIterator {
    private static final int REPORTS = 1 << 8;
    private final UnsafeSorterIterator sorted;
    private final long all;
    private final long reportEvery;
    private final Progress progress = new Progress();
    private final RawRecord record = new RawRecord();
    private int partition = -1;
    private boolean isAhead;
    private long read;

    RawRecords(SortedRecords records) throws IOException {
        this.all = records.count();
        this.reportEvery = Math.max(1, all / REPORTS);
        this.sorted = records.iterator();
    }

    /** Goes to the next partition that has records, behind all those of the one before; its number, or -1. */
    int nextPartition() throws IOException {
        int before = partition;
        while (advance() && partition == before) {
            isAhead = false;
        }
        return isAhead ? partition : -1;
    }

    @Override
    public boolean next() throws IOException {
        int before = partition;
        if (!advance() || (before >= 0 && partition != before)) {
            partition = before;
            return false;
        }
        isAhead = false;
        load();
        if (++read % reportEvery == 0) {
            progress.set((float) read / all);
        }
        return true;
    }

    @Override
    public DataInputBuffer getKey() {
        return record.key();
    }

    @Override
    public DataInputBuffer getValue() {
        return record.value();
    }

    @Override
    public Progress getProgress() {
        return progress;
    }

    /** The task owns the memory. */
    @Override
    public void close() {}

    /** Whether there is a record that was not given yet, which the sorter then stands on. */
    private boolean advance() throws IOException {
        if (!isAhead && sorted.hasNext()) {
            sorted.loadNext();
            isAhead = true;
        }
        if (isAhead) {
            partition = Platform.getInt(sorted.getBaseObject(), sorted.getBaseOffset());
        }
        return isAhead;
    }

    private void load() {
        Object base = sorted.getBaseObject();
        long from = sorted.getBaseOffset();
        int keyLength = Platform.getInt(base, from + Integer.BYTES);
        int valueLength = sorted.getRecordLength() - SortedRecords.HEADER - keyLength;
        long keyFrom = from + SortedRecords.HEADER;
        record.load(base, keyFrom, keyLength, base, keyFrom + keyLength, valueLength);
    }
}
