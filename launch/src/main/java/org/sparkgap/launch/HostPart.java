// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.io.Serializable;

/**
 * One host's part of a job, as the driver gives it to the agent there.
 *
 * @param proxyCommand the line of mpiexec's manual launcher for this host; null where the job has one rank, which needs
 *     none
 * @param jobJson the job's description, but for the folders of its outputs and the paths of segments that come from
 *     elsewhere, which the agent fills in
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
