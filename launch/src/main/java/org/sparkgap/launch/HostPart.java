// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.io.Serializable;

/**
 * One host's part of a job, as the driver gives it to the agent there.
 *
 * @param proxyCommand the line of mpiexec's manual launcher for this host; null for a job of one rank
 * @param jobJson the job's description; the agent adds the folders of outputs and the paths of fetched segments
 * @param firstRank the ranks of this host are [firstRank, firstRank + ranks)
 * @param alone whether the job has no other host
 */
public record HostPart(
        String job,
        String program,
        String proxyCommand,
        String jobJson,
        int firstRank,
        int ranks,
        int threads,
        boolean alone)
        implements Serializable {}
