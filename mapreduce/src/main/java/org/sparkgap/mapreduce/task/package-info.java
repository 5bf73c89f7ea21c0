// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/** The executors' side: takes a split or the records of a partition, runs Hadoop's own MapTask or ReduceTask on it. */
package org.sparkgap.mapreduce.task;
