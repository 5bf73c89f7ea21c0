// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/**
 * Takes a program with its input segments, and gives its end: places ranks, starts them, stands for them in Spark,
 * tries them again.
 */
package org.sparkgap.spark.job;
