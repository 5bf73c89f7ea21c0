// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/** Takes an estimator's data and parameters, and gives the fitted numbers. */
package org.sparkgap.spark.ml;
