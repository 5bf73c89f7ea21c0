// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/**
 * What Spark and SQL name: the plug-in, the catalog with its procedures, the data source, the rules. They take a
 * session's calls and give them to the packages below.
 */
package org.sparkgap.spark;
