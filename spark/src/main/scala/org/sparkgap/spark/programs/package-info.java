// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/** Takes a CALL of a user's program, and gives its outputs as tables. */
package org.sparkgap.spark.programs;
