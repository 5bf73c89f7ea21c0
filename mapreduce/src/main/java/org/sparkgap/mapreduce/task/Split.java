// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

import java.io.Serializable;

/**
 * Where a map task finds its split.
 *
 * @param number of the task
 * @param file in the job's folder of the staging area
 * @param offset in that file, bytes
 */
public record Split(int number, String file, long offset) implements Serializable {}
