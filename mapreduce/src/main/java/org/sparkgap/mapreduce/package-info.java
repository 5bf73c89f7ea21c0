// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/** Unchanged jobs of Hadoop MapReduce run on Spark: takes a submitted job, gives its output, counters and status. */
package org.sparkgap.mapreduce;
