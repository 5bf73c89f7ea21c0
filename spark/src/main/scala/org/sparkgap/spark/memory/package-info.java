// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/** Takes what a job's ranks will need, as the kernel says it, and gives it: from Spark's off-heap pool or the host. */
package org.sparkgap.spark.memory;
