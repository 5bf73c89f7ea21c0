// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/** The data's way from map to reduce: takes records, gives chunks of them by partition, and sorts them by key. */
package org.sparkgap.mapreduce.shuffle;
