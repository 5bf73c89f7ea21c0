// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/** Takes a CALL of a kernel, and gives a result table with what it cost. */
package org.sparkgap.spark.kernel;
