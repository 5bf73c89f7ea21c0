// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/** Takes names that people give, and gives tables: of this application and published ones; publishes. */
package org.sparkgap.spark.published;
