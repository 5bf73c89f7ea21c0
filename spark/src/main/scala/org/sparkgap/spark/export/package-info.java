// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/** Takes a DataFrame, and gives a table of the store: its columns where they lie already, else a copy. */
package org.sparkgap.spark.export;
