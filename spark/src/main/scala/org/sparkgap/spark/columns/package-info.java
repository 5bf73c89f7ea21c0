// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/**
 * Takes rows and column vectors of Spark, and gives columns of the store; takes mapped columns, and gives vectors of
 * Spark.
 */
package org.sparkgap.spark.columns;
