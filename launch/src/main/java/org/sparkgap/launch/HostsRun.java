// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.sparkgap.store.SparkGapException;

/**
 * Runs a job over several hosts to its end on the calling thread: mpiexec here, one agent on each host.
 *
 * <p>What the ranks leave on their hosts comes into the job's folder here, and is judged as for a job of one host.
 */
public final class HostsRun {
    private static final Duration START = ManualLaunch.START;
    /**
     * How long hosts whose ranks have started may take to end them once a rank has failed. A busy host may say late
     * that its rank was first.
     */
    private static final Duration ENDS = Duration.ofSeconds(5);

    private static final long LOOK_MILLIS = 50;

    private final Job job;
    private final RunningJob running;
    private final Agents agents;
    private final Duration silence;
    private final JobFolder folder;
    private final List<String> hosts;
    private final boolean[] taken;
    private boolean news;
    private String progress;

    private HostsRun(Job job, RunningJob running, Agents agents, Duration silence, JobFolder folder) {
        this.job = job;
        this.running = running;
        this.agents = agents;
        this.silence = silence;
        this.folder = folder;
        this.hosts = job.hosts();
        this.taken = new boolean[hosts.size()];
    }

    /**
     * The result of a job that succeeded: mpiexec's exit 0, every proxy's and every rank's, every rank's done file
     * there.
     *
     * <p>Errors: as JobRun.run; {@link LostHostException} where an agent was lost, so that the job may be tried again
     * without it.
     *
     * @param address of this host, by which the others reach mpiexec
     * @param silence so long an agent may say nothing
     */
    public static JobResult run(Job job, Mpi mpi, RunningJob running, Agents agents, String address, Duration silence) {
        JobFolder folder = JobFolder.create(job.directory(), JobFile.text(job));
        running.watched(true);
        try {
            return new HostsRun(job, running, agents, silence, folder).run(mpi, address);
        } catch (JobException e) {
            throw KeptLogs.named(e, job, folder);
        } finally {
            running.watched(false);
            running.phase("end");
            if (job.program().invocation() != null) {
                folder.moveLogs(job.program().invocation().logs());
            }
            JobRun.delete(folder);
        }
    }

    private JobResult run(Mpi mpi, String address) {
        long start = System.nanoTime();
        FileTime begin = FileTime.from(Instant.now());
        agents.gather();
        Process mpiexec = ManualLaunch.mpiexec(
                CommandLine.manual(job, mpi, address), folder, job.program().name());
        running.follow(folder.path().resolve(JobFile.PROGRESS));
        boolean sound = false;
        boolean interrupted = false;
        try {
            agents.start(parts(ManualLaunch.commands(job, folder, mpiexec)));
            watch(mpiexec, start);
            findLost();
            JobResult result = JobRun.judge(
                    job,
                    folder,
                    mpiexec.isAlive() ? JobRun.STILL_RUNNING : mpiexec.exitValue(),
                    (System.nanoTime() - start) / 1e9);
            sound = true;
            return result;
        } catch (InterruptedException e) {
            interrupted = true;
            throw JobRun.cancelled(job);
        } finally {
            if (!sound) {
                new ProcessTree(mpiexec, folder.path()).kill();
                MpichLeftovers.sweepAfterKill(begin);
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private List<HostPart> parts(List<String> commands) {
        List<HostPart> parts = new ArrayList<>();
        int first = 0;
        for (int host = 0; host < hosts.size(); host++) {
            int ranks = Collections.frequency(job.rankHosts(), hosts.get(host));
            parts.add(new HostPart(
                    job.id(),
                    job.program().name(),
                    commands.get(host),
                    JobFile.text(job),
                    first,
                    ranks,
                    job.threads()));
            first += ranks;
        }
        return parts;
    }

    /** Until mpiexec and all proxies have ended, or one has failed and had time to tell the others. */
    private void watch(Process mpiexec, long start) throws InterruptedException {
        long end = start + job.timeout().toNanos();
        long failedAt = 0;
        long metAt = 0;
        while (true) {
            boolean failed = !mpiexec.isAlive() && mpiexec.exitValue() != 0;
            boolean over = !mpiexec.isAlive();
            boolean ended = true; // all agents have told their last, and may go
            boolean started = true;
            boolean met = true;
            boolean silent = false;
            boolean ending = false;
            long now = System.nanoTime();
            for (int host = 0; host < hosts.size(); host++) {
                HostReport report = agents.report(host);
                if (report == null || !report.ended()) {
                    ended = false;
                    long quiet = now - agents.silentSince(host);
                    if (quiet > silence.toNanos()) {
                        throw lost(host, "no word for " + silence.toSeconds() + " s");
                    } else if (report == null && agents.deserted(host)) {
                        throw lost(host, "that its executors have ended");
                    }
                    silent |= quiet > JobRun.GRACE.toNanos();
                    ending |= report != null && report.started();
                } else {
                    take(host, report);
                    failed |= report.proxyStatus() != 0;
                }
                failed |= report != null && report.rankFailed();
                met &= report != null;
                started &= report != null && report.started();
                if (host == 0 && report != null) {
                    show(report.progress());
                }
            }
            if (over && ended) {
                return;
            }
            if (agents.cancelled()) {
                throw JobRun.cancelled(job);
            }
            if (agents.lost() != null && failedAt == 0 && !ended) {
                throw lost(-1, agents.lost());
            }
            if (failedAt == 0 && (failed || news && JobRun.anyFailed(job, folder))) {
                failedAt = now;
                if (mpiexec.isAlive()) {
                    mpiexec.destroy(); // it then ends the others; a proxy that was lost before it had connected would
                    // be waited for for ever
                }
            }
            news = false;
            // Ranks also fail for a peer whose host is lost: of a silent host that is known when it speaks again, or
            // has been silent for too long.
            if (failedAt != 0 && now - failedAt > (ending ? ENDS : JobRun.GRACE).toNanos() && !silent) {
                takeOfFailed();
                return;
            }
            if (now >= end) {
                endRanks(mpiexec);
                throw JobRun.late(job, running, folder);
            }
            metAt = met && metAt == 0 ? now : metAt; // until then executors are waited for whose cores are busy
            if (!started && metAt != 0 && now - metAt > START.toNanos()) {
                throw new JobException(
                        SparkGapException.LOST,
                        SparkGapException.sentence(
                                "launch of " + job.program().name(),
                                "all ranks started within " + START.toSeconds() + " s",
                                "some not",
                                "Do look whether the executors reach the driver's host"),
                        null,
                        null,
                        null,
                        folder.launcherTail());
            }
            agents.await(LOOK_MILLIS);
        }
    }

    /** What ranks have printed comes with their ends, where these come soon. */
    private void endRanks(Process mpiexec) throws InterruptedException {
        mpiexec.destroy();
        long end = System.nanoTime() + JobRun.GRACE.toNanos();
        for (int host = 0; host < hosts.size(); host++) {
            HostReport report = agents.report(host);
            while ((report == null || !report.ended()) && System.nanoTime() < end) {
                agents.await(LOOK_MILLIS);
                report = agents.report(host);
            }
            if (report != null && report.ended()) {
                take(host, report);
            }
        }
    }

    /** Whether what looks like the failure of a rank is the loss of an agent, or of a proxy. */
    private void findLost() {
        if (agents.cancelled()) {
            throw JobRun.cancelled(job);
        }
        for (int host = 0; host < hosts.size(); host++) {
            HostReport report = agents.report(host);
            if ((report == null || !report.ended()) && agents.lost() != null) {
                throw lost(-1, agents.lost());
            }
            if (report != null && report.proxyStatus() == Signals.STATUS_OF_KILLED) {
                throw new JobException(
                        SparkGapException.LOST,
                        SparkGapException.sentence(
                                "MPI's proxy on host " + hosts.get(host),
                                "it to live as long as its ranks",
                                "signal " + Signals.text(9),
                                "Do run again"),
                        null,
                        hosts.get(host),
                        9,
                        folder.launcherTail());
            }
        }
    }

    /** Of hosts where a rank has failed and others have not ended since. */
    private void takeOfFailed() {
        for (int host = 0; host < hosts.size(); host++) {
            HostReport report = agents.report(host);
            if (report != null && report.rankFailed()) {
                take(host, report);
            }
        }
    }

    /** The files of a host that has ended, once. */
    private void take(int host, HostReport report) {
        if (taken[host]) {
            return;
        }
        taken[host] = true;
        news = true;
        if (report.failure() != null) {
            String where = report.failure().contains(hosts.get(host)) ? "" : "host " + hosts.get(host) + ", ";
            throw new JobException(
                    report.failureCode(), where + report.failure(), null, hosts.get(host), null, List.of());
        }
        try {
            for (HostReport.LeftFile file : report.files()) {
                folder.put(file, agents.clockAhead(host));
            }
        } catch (IOException e) {
            throw new SparkGapException(
                    SparkGapException.NO_ROOM,
                    "launch " + folder.path(),
                    "room for the records of a job",
                    String.valueOf(e.getMessage()),
                    "Do free some space");
        }
    }

    private void show(String line) {
        if (line == null || line.equals(progress)) {
            return;
        }
        progress = line;
        try {
            Files.writeString(
                    folder.path().resolve(JobFile.PROGRESS),
                    line + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            // Progress is for looking at only.
        }
    }

    private LostHostException lost(int host, String why) {
        String name = host < 0 ? null : hosts.get(host);
        return new LostHostException(
                SparkGapException.sentence(
                        name == null ? "agents of " + job.program().name() : "agent on host " + name,
                        "it to live as long as the job",
                        why,
                        "Do look at that executor's log and run again"),
                name);
    }
}
