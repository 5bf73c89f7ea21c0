// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.util.List;

/**
 * Where a column of one batch stands in memory: addresses in the mapping of its {@link Segment}, to which a reader
 * keeps a reference.
 *
 * @param rows those of the batch, or for elements all that its arrays have
 * @param nulls how many rows are null
 * @param validity address of the validity bits, or 0 where no row is null
 * @param offsets address of the int32 offsets, or 0 for types without; unchecked: compare each against what it leads
 *     into
 * @param values address of the values, or of the characters behind offsets; 0 for arrays and structs
 * @param dataBytes bytes at {@code values}
 * @param children the elements of an array, which its offsets count in rows of theirs; the fields of a struct, with
 *     rows like its own
 */
public record ColumnPlace(
        Column column,
        int rows,
        long nulls,
        long validity,
        long offsets,
        long values,
        long dataBytes,
        List<ColumnPlace> children) {}
