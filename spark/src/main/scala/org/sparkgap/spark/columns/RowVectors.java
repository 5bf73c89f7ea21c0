// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.columns;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.RowToColumnConverter;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Rows as column batches, by Spark's own converter.
 *
 * <p>RowToColumnConverter has no promise of stability (tested on Spark 4.3); Scala hides it from other packages but
 * Java does not.
 */
public final class RowVectors {
    public static final int ROWS = 4096;

    private final StructType schema;
    private final RowToColumnConverter converter;
    private WritableColumnVector[] vectors;
    private int rows;

    public RowVectors(StructType schema) {
        this.schema = schema;
        converter = new RowToColumnConverter(schema);
    }

    /** Whether there is room for more afterwards. */
    public boolean append(InternalRow row) {
        if (vectors == null) {
            vectors = OnHeapColumnVector.allocateColumns(ROWS, schema);
        }
        converter.convert(row, vectors);
        return ++rows < ROWS;
    }

    /** What was appended since the last take. */
    public ColumnarBatch take() {
        ColumnarBatch batch = new ColumnarBatch(vectors, rows);
        vectors = null;
        rows = 0;
        return batch;
    }
}
