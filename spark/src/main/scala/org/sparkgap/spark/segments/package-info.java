// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/** Segment files as this process has them: where they lie and move, who has them on other hosts, and when they go. */
package org.sparkgap.spark.segments;
