// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

/**
 * The progress of a job.
 *
 * @param of iterations at most, 0 where unknown
 * @param residual negative where unknown
 */
public record JobStatus(
        String job, String kernel, String phase, long iteration, long of, double residual, double elapsedSeconds) {}
