// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/**
 * What is known of this application: its settings, its executors and their hosts, the way to the driver, errors. It
 * takes Spark's configuration and events.
 */
package org.sparkgap.spark.application;
