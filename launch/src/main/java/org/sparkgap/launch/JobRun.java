// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Runs a job to its end. An agent on each host starts the ranks there; mpiexec on this host connects them. A job of one
 * rank needs no mpiexec.
 *
 * <p>Each agent sends its ranks' records to the job's folder on this host, and the records decide whether the job
 * succeeded. On return, by result or by error, only the job's output segments are left.
 */
public final class JobRun {
    static final int STILL_RUNNING = -1;

    private JobRun() {}

    /**
     * The result of a job that succeeded: mpiexec, every proxy and every rank ended with 0, and every rank wrote its
     * done file.
     *
     * <p>Errors: JobException with the first cause; its code is 5 also after the deadline and after an interrupt (the
     * thread's interrupt flag stays set). {@link LostHostException} if an agent was lost: the caller may run the job
     * again on the other hosts.
     *
     * @param mpi null for a job of one rank
     * @param agents one for each host; closed on return
     * @param address of this host, where the other hosts reach mpiexec
     * @param silence an agent that sends nothing for this time counts as lost
     */
    public static JobResult run(Job job, Mpi mpi, RunningJob running, Agents agents, String address, Duration silence) {
        JobFolder folder = JobFolder.create(job.directory());
        running.watched(true);
        try {
            return run(job, mpi, running, agents, address, silence, folder);
        } catch (JobException e) {
            throw KeptLogs.named(e, job, folder);
        } finally {
            running.watched(false);
            running.phase("end");
            if (job.program().isUsers()) {
                folder.moveLogs(job.program().invocation().logs());
            }
            folder.remove();
        }
    }

    private static JobResult run(
            Job job, Mpi mpi, RunningJob running, Agents agents, String address, Duration silence, JobFolder folder) {
        long start = System.nanoTime();
        FileTime begin = FileTime.from(Instant.now());
        Process mpiexec = null;
        boolean sound = false;
        boolean interrupted = false;
        try {
            agents.gather();
            if (job.ranks() > 1) {
                mpiexec = ManualLaunch.mpiexec(
                        CommandLine.launcher(job, mpi, address),
                        folder,
                        job.program().name());
            }
            running.follow(folder.path().resolve(JobFile.PROGRESS));
            agents.start(parts(
                    job,
                    mpiexec == null ? Collections.singletonList(null) : ManualLaunch.commands(job, folder, mpiexec)));
            JobWatch watch = new JobWatch(job, running, agents, silence, folder, mpiexec);
            watch.untilEnd(start);
            watch.findLost();
            JobResult result = judge(job, folder, status(mpiexec, agents), (System.nanoTime() - start) / 1e9);
            sound = true;
            return result;
        } catch (InterruptedException e) {
            interrupted = true;
            throw StoppedException.cancelled(job);
        } finally {
            try {
                if (!sound && mpiexec != null) {
                    new ProcessTree(mpiexec, folder.path()).kill();
                    MpichLeftovers.sweepAfterKill(begin);
                }
            } finally {
                agents.close();
            }
            if (interrupted) {
                // Only now: an interrupted thread cannot read files, so it would overlook processes.
                Thread.currentThread().interrupt();
            }
        }
    }

    private static List<HostPart> parts(Job job, List<String> commands) {
        List<HostPart> parts = new ArrayList<>();
        List<String> hosts = job.hosts();
        String text = job.json();
        int first = 0;
        for (int host = 0; host < hosts.size(); host++) {
            int ranks = Collections.frequency(job.rankHosts(), hosts.get(host));
            parts.add(new HostPart(
                    job.id(),
                    job.program().name(),
                    commands.get(host),
                    text,
                    first,
                    ranks,
                    job.threads(),
                    hosts.size() == 1));
            first += ranks;
        }
        return parts;
    }

    private static JobResult judge(Job job, JobFolder folder, int status, double wall) {
        boolean sound = status == 0;
        for (int rank = 0; rank < job.ranks(); rank++) {
            sound &= !RankEnd.read(folder, rank).failed();
        }
        if (!sound) {
            throw FirstCause.of(folder, job, status);
        }
        if (job.program().isUsers() && !folder.anyDone(job.ranks())) {
            return JobResult.silent(wall);
        }
        List<RankReport> reports = new ArrayList<>();
        for (int rank = 0; rank < job.ranks(); rank++) {
            try {
                reports.add(RankReport.read(folder, rank, job.rankHosts().get(rank)));
            } catch (IOException | RuntimeException e) {
                throw FirstCause.incomplete(folder, job, rank, String.valueOf(e.getMessage()));
            }
        }
        return JobResult.of(reports, wall);
    }

    /** The exit status of mpiexec or, of one rank, of its guard. */
    private static int status(Process mpiexec, Agents agents) {
        if (mpiexec != null) {
            return mpiexec.isAlive() ? STILL_RUNNING : mpiexec.exitValue();
        }
        HostReport report = agents.report(0);
        return report != null && report.ended() ? report.proxyStatus() : STILL_RUNNING;
    }
}
