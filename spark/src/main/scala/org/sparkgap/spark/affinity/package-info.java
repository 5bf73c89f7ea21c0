// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/** Takes task threads and ranks, and gives them processors of their own. */
package org.sparkgap.spark.affinity;
