// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.util.List;

/**
 * A record batch that a {@link SegmentWriter} has written.
 *
 * @param segment its segment among the writer's
 * @param index its place in the segment
 * @param statistics of each column, empty where the writer gathers none
 */
public record WrittenBatch(int segment, int index, int rows, List<ColumnStatistics> statistics) {}
