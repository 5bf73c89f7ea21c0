// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/**
 * What a profile needs inside of Spark: tasks mark their stage in recordings of Java's Flight Recorder, whose stacks
 * become lines; and executors on other hosts send what a sampler beside them says.
 */
package org.sparkgap.spark.profile;
