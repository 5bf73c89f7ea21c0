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
 * Runs a job to its end: one agent on each host starts the ranks there, mpiexec here connects them. One rank needs no
 * mpiexec.
 *
 * <p>What the ranks leave on their hosts comes into the job's folder here, where it is judged. However this returns, no
 * process and no file of the job is left except its output segments.
 */
public final class JobRun {
    static final int STILL_RUNNING = -1;

    private JobRun() {}

    /**
     * The result of a job that succeeded: mpiexec's exit 0, every proxy's and every rank's, every rank's done file
     * there.
     *
     * <p>Errors: JobException with the first cause; code 5 also for the deadline and for an interrupt, which stays set;
     * {@link LostHostException} where an agent was lost, so that the job may be tried again without it.
     *
     * @param mpi null where the job has one rank
     * @param agents closed at the end
     * @param address of this host, by which the others reach mpiexec
     * @param silence so long an agent may say nothing
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
                Thread.currentThread()
                        .interrupt(); // not before: a thread that is interrupted can read no file, so it would miss
                // processes
            }
        }
    }

    private static List<HostPart> parts(Job job, List<String> commands) {
        List<HostPart> parts = new ArrayList<>();
        List<String> hosts = job.hosts();
        String text = JobFile.text(job);
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

    /** Of mpiexec, or of the one guard that there is. */
    private static int status(Process mpiexec, Agents agents) {
        if (mpiexec != null) {
            return mpiexec.isAlive() ? STILL_RUNNING : mpiexec.exitValue();
        }
        HostReport report = agents.report(0);
        return report != null && report.ended() ? report.proxyStatus() : STILL_RUNNING;
    }
}
