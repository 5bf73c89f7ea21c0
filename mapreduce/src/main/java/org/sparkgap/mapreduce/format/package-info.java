// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/** Around a job's own formats: counts what their readers and writers move, of the task that has them alone. */
package org.sparkgap.mapreduce.format;
