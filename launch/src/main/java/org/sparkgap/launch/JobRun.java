// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.sparkgap.store.SparkGapException;
import org.sparkgap.topology.ProcessLimits;

/**
 * Runs a job to its end on the calling thread.
 *
 * <p>The kernel ties the guard's life to the very thread that started it (PDEATHSIG), so the thread waits here. However
 * this returns, no process and no file of the job is left except its output segments.
 */
public final class JobRun {
    private static final Duration LOOK = Duration.ofMillis(50);
    /** So long mpiexec may take to end the others after the first has failed. */
    static final Duration GRACE = Duration.ofSeconds(1);

    static final int STILL_RUNNING = -1;

    private JobRun() {}

    /**
     * The result of a job that succeeded: launcher's exit 0, every rank's exit 0, every rank's done file there.
     *
     * <p>Errors: JobException with the first cause; code 5 also for the deadline and for an interrupt, which stays set.
     *
     * @param mpi may be null where the job has one rank
     */
    public static JobResult run(Job job, Mpi mpi, RunningJob running) {
        return run(job, mpi, running, RankCpus.NONE);
    }

    /** The same, on these processors. */
    public static JobResult run(Job job, Mpi mpi, RunningJob running, RankCpus cpus) {
        JobFolder folder = JobFolder.create(job.directory(), JobFile.text(job));
        running.watched(true);
        try {
            if (job.program().invocation() != null) {
                folder.putInvocation(job.program().invocation(), 0, job.ranks());
            }
            folder.putCpus(cpus, 0, job.ranks());
            JobResult result = run(job, mpi, running, cpus, folder);
            if (job.program().invocation() != null) {
                folder.moveLeft(job.program().invocation().left());
            }
            return result;
        } catch (JobException e) {
            throw KeptLogs.named(e, job, folder);
        } finally {
            running.watched(false);
            running.phase("end");
            if (job.program().invocation() != null) {
                folder.moveLogs(job.program().invocation().logs());
            }
            delete(folder);
        }
    }

    private static JobResult run(Job job, Mpi mpi, RunningJob running, RankCpus cpus, JobFolder folder) {
        FileTime begin = FileTime.from(Instant.now());
        long start = System.nanoTime();
        List<String> command = CommandLine.of(job, mpi);
        Process process = job.ranks() > 1
                ? ManualLaunch.mpiexec(command, folder, job.program().name())
                : start(command, job, mpi, cpus, folder);
        running.follow(folder.path().resolve(JobFile.PROGRESS));
        Process proxy = null;
        boolean sound = false;
        boolean interrupted = false;
        try {
            if (job.ranks() > 1) {
                proxy = start(
                        ManualLaunch.guarded(
                                ManualLaunch.commands(job, folder, process).get(0), job.program(), mpi),
                        job,
                        mpi,
                        cpus,
                        folder);
            }
            waitFor(process, proxy, job, running, folder, start);
            double wall = (System.nanoTime() - start) / 1e9;
            JobResult result = judge(job, folder, process.isAlive() ? STILL_RUNNING : process.exitValue(), wall);
            sound = true;
            return result;
        } catch (InterruptedException e) {
            interrupted = true;
            throw cancelled(job);
        } finally {
            if (!sound || proxy != null && proxy.isAlive()) {
                new ProcessTree(process, folder.path()).kill();
            }
            // A program that need not know us may use MPI on one rank too, and end well without taking leave of it.
            if (!sound && (job.ranks() > 1 || job.program().mayBeSilent())) {
                MpichLeftovers.sweepAfterKill(begin);
            } else if (job.program().mayBeSilent()) {
                MpichLeftovers.sweep(begin);
            }
            if (interrupted) {
                Thread.currentThread()
                        .interrupt(); // not before: a thread that is interrupted can read no file, so it would miss
                // processes
            }
        }
    }

    /**
     * Until the launcher has ended, or a rank has failed and mpiexec leaves the others waiting for it (it does before
     * MPI_Init).
     */
    private static void waitFor(
            Process process, Process proxy, Job job, RunningJob running, JobFolder folder, long start)
            throws InterruptedException {
        long end = start + job.timeout().toNanos();
        long failedAt = 0;
        while (!process.waitFor(
                job.ranks() == 1 ? end - System.nanoTime() : Math.min(LOOK.toNanos(), end - System.nanoTime()),
                TimeUnit.NANOSECONDS)) {
            long now = System.nanoTime();
            if (failedAt == 0
                    && job.ranks() > 1
                    && (anyFailed(job, folder) || !proxy.isAlive() && proxy.exitValue() != 0)) {
                failedAt = now;
            }
            if (failedAt != 0 && now - failedAt > GRACE.toNanos()) {
                return;
            }
            if (now >= end) {
                throw late(job, running, folder);
            }
        }
        if (proxy != null) {
            proxy.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS); // it ends with its connection to mpiexec
        }
    }

    static boolean anyFailed(Job job, JobFolder folder) {
        for (int rank = 0; rank < job.ranks(); rank++) {
            RankEnd end = RankEnd.read(folder, rank);
            if (end.recorded() && end.failed()) {
                return true;
            }
        }
        return false;
    }

    private static Process start(List<String> command, Job job, Mpi mpi, RankCpus cpus, JobFolder folder) {
        ProcessBuilder builder = new ProcessBuilder(command);
        Map<String, String> set =
                CommandLine.environment(job, mpi, ProcessLimits.read().usableCpus(), System.getenv());
        CommandLine.apply(builder.environment(), set, cpus);
        return ManualLaunch.started(builder, folder, job.program().name());
    }

    static JobResult judge(Job job, JobFolder folder, int launcherStatus, double wall) {
        boolean sound = launcherStatus == 0;
        for (int rank = 0; rank < job.ranks(); rank++) {
            sound &= !RankEnd.read(folder, rank).failed();
        }
        if (!sound) {
            throw FirstCause.of(folder, job, launcherStatus);
        }
        if (job.program().mayBeSilent() && !folder.anyDone(job.ranks())) {
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

    /** What a job that was cancelled throws. */
    public static JobException cancelled(Job job) {
        return cancelled(job.id(), job.program().name());
    }

    /** The error of a job that somebody has cancelled. */
    public static JobException cancelled(String job, String program) {
        return new StoppedException(
                SparkGapException.sentence(
                        "job " + job + " of " + program,
                        "to run to its end",
                        "that it was cancelled",
                        "Do run it again"),
                null,
                List.of());
    }

    static JobException late(Job job, RunningJob running, JobFolder folder) {
        return StoppedException.late(
                running,
                running.limit() == null ? job.timeout() : running.limit(),
                job.rankHosts().get(0),
                folder.logTail(0));
    }

    static void delete(JobFolder folder) {
        try {
            folder.delete();
        } catch (IOException e) {
            // A rank's last breath may still add a file; the home's sweep takes it.
        }
    }
}
