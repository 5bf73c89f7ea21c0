// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.columns;

import org.apache.spark.sql.execution.columnar.ColumnAccessor;
import org.apache.spark.sql.execution.columnar.DefaultCachedBatch;
import org.apache.spark.sql.execution.vectorized.OffHeapColumnVector;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Some columns of a table in Spark's default cache, one cached batch after the other in the same vectors outside the
 * heap.
 *
 * <p>Spark's own conversion makes new vectors on the heap for every batch and keeps all of them until the task ends:
 * the whole partition a second time, for the garbage collector to copy. ColumnAccessor has no promise of stability
 * (tested on Spark 4.3); Scala hides it from other packages but Java does not, so this file alone is Java.
 */
public final class CachedVectors implements AutoCloseable {
    private final StructType schema;
    private final int[] positions;
    private final OffHeapColumnVector[] vectors;
    private final ColumnarBatch batch;

    /** Column i is column {@code positions[i]} of the cached table. The types are those of supportsColumnarOutput. */
    public CachedVectors(StructType schema, int[] positions) {
        this.schema = schema;
        this.positions = positions;
        vectors = OffHeapColumnVector.allocateColumns(1, schema);
        batch = new ColumnarBatch(vectors);
    }

    /** The columns of a cached batch, until the next call or close. */
    public ColumnarBatch read(DefaultCachedBatch cached) {
        int rows = cached.numRows();
        for (int i = 0; i < vectors.length; i++) {
            vectors[i].reset();
            vectors[i].setDictionary(
                    null); // reset() keeps the dictionary, and values of a batch without one would be looked up in it
            vectors[i].reserve(rows);
            ColumnAccessor.decompress(
                    cached.buffers()[positions[i]], vectors[i], schema.apply(i).dataType(), rows);
        }
        batch.setNumRows(rows);
        return batch;
    }

    @Override
    public void close() {
        batch.close();
    }
}
