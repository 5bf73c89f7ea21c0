// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/**
 * Takes a table of the store, and gives Spark its rows; knows which results have a name and how lost ones are made
 * again.
 */
package org.sparkgap.spark.table;
