// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/**
 * What Scala and Java users call: a typed method for each kernel, stored graphs, programs and published tables. It
 * takes DataFrames of a classic or a Connect session and gives them to the procedures of the catalog.
 */
package org.sparkgap.spark.methods;
