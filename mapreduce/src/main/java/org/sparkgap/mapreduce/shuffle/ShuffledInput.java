// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shuffle;

import java.io.IOException;
import java.util.Iterator;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapreduce.TaskCounter;
import scala.Tuple2;

/** Gives a reducer all records of its partition in the order of the job's comparator, out of Spark's shuffle. */
public final class ShuffledInput<K, V> implements ShuffleConsumerPlugin<K, V> {
    private Context<K, V> context;

    @Override
    public void init(Context<K, V> given) {
        this.context = given;
    }

    @Override
    public RawKeyValueIterator run() throws IOException {
        TaskShuffle shuffle = TaskShuffle.current();
        SortedRecords records =
                new SortedRecords(shuffle.task(), 1, context.getJobConf().getOutputKeyComparator());
        Iterator<Tuple2<Object, byte[]>> chunks = shuffle.input();
        while (chunks.hasNext()) {
            byte[] chunk = chunks.next()._2();
            Chunks.addTo(records, chunk);
            context.getReduceShuffleBytes().increment(chunk.length);
            context.getReporter().progress();
        }
        context.getShuffledMapsCounter().increment(context.getJobConf().getNumMapTasks());
        context.getReporter().getCounter(TaskCounter.SPILLED_RECORDS).increment(records.count());
        context.getCopyPhase().complete();
        return new RawRecords(records);
    }

    /** The end of Spark's task gives the memory back. */
    @Override
    public void close() {}
}
