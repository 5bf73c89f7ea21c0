// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/**
 * Between the jobs of a chain: keeps what tasks write to HDFS in their executor's memory, and gives it to later jobs.
 */
package org.sparkgap.mapreduce.chain;
