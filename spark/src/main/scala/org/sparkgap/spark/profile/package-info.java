// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/**
 * What a recording of Java's Flight Recorder has of Spark: tasks mark their stage in it, and its stacks become lines.
 */
package org.sparkgap.spark.profile;
