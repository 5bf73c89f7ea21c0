// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/** Takes what <code>persist()</code> keeps, and gives it back from segments outside the heap. */
package org.sparkgap.spark.cache;
