// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/** Takes segments, and gives files that other people's programs read; takes their files, and gives segments. */
package org.sparkgap.spark.formats;
