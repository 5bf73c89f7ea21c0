// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/** The client's side, which is Spark's driver: takes a job that is submitted, gives its stages to Spark, commits it. */
package org.sparkgap.mapreduce.job;
