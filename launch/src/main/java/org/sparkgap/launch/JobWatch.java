// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.sparkgap.store.SparkGapException;

/**
 * Waits for the end of a job that has been started, and brings what its ranks leave on their hosts into the job's
 * folder here.
 */
final class JobWatch {
    private static final Duration START = ManualLaunch.START;
    /** How long hosts may take to end their ranks once one has failed. */
    private static final Duration GRACE = Duration.ofSeconds(1);
    /** The same where ranks have started: a busy host may say late that its rank was first. */
    private static final Duration ENDS = Duration.ofSeconds(5);

    private static final long LOOK_MILLIS = 50;

    private final Job job;
    private final RunningJob running;
    private final Agents agents;
    private final Duration silence;
    private final JobFolder folder;
    private final List<String> hosts;
    private final boolean[] taken;
    /** Null where there is one rank. */
    private final Process mpiexec;

    private boolean news;
    private String progress;

    JobWatch(Job job, RunningJob running, Agents agents, Duration silence, JobFolder folder, Process mpiexec) {
        this.job = job;
        this.running = running;
        this.agents = agents;
        this.silence = silence;
        this.folder = folder;
        this.hosts = job.hosts();
        this.taken = new boolean[hosts.size()];
        this.mpiexec = mpiexec;
    }

    /**
     * Until mpiexec and all proxies have ended, or one has failed and had time to tell the others.
     *
     * <p>Errors: JobException for the deadline, for a job that was cancelled, and for agents that were lost or failed.
     */
    void untilEnd(long start) throws InterruptedException {
        long end = start + job.timeout().toNanos();
        long failedAt = 0;
        long metAt = 0;
        while (true) {
            boolean over = mpiexec == null || !mpiexec.isAlive();
            boolean failed = mpiexec != null && over && mpiexec.exitValue() != 0;
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
                    silent |= quiet > GRACE.toNanos();
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
                throw StoppedException.cancelled(job);
            }
            if (agents.lost() != null && failedAt == 0 && !ended) {
                throw lost(-1, agents.lost());
            }
            if (failedAt == 0 && (failed || news && anyFailed())) {
                failedAt = now;
                if (mpiexec != null && mpiexec.isAlive()) {
                    mpiexec.destroy(); // it then ends the others; a proxy that was lost before it had connected would
                    // be waited for for ever
                }
            }
            news = false;
            // Ranks also fail for a peer whose host is lost: of a silent host that is known when it speaks again, or
            // has been silent for too long.
            if (failedAt != 0 && now - failedAt > (ending ? ENDS : GRACE).toNanos() && !silent) {
                takeOfFailed();
                return;
            }
            if (now >= end) {
                endRanks(now);
                throw late();
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
            long look = Math.max(1, Math.min(LOOK_MILLIS, TimeUnit.NANOSECONDS.toMillis(end - now)));
            if (ended) {
                mpiexec.waitFor(look, TimeUnit.MILLISECONDS);
            } else {
                agents.await(look);
            }
        }
    }

    /** What ranks have printed comes with their ends, where these come soon. */
    private void endRanks(long now) throws InterruptedException {
        agents.end();
        for (int host = 0; host < hosts.size(); host++) {
            HostReport report = agents.report(host);
            while (report != null && !report.ended() && System.nanoTime() - now < GRACE.toNanos()) {
                agents.await(LOOK_MILLIS);
                report = agents.report(host);
            }
            if (report != null && report.ended()) {
                take(host, report);
            }
        }
    }

    /** Whether what looks like the failure of a rank is the loss of an agent, or of a proxy. */
    void findLost() {
        if (agents.cancelled()) {
            throw StoppedException.cancelled(job);
        }
        for (int host = 0; host < hosts.size(); host++) {
            HostReport report = agents.report(host);
            if ((report == null || !report.ended()) && agents.lost() != null) {
                throw lost(-1, agents.lost());
            }
            if (mpiexec != null && report != null && report.proxyStatus() == Signals.STATUS_OF_KILLED) {
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

    private boolean anyFailed() {
        for (int rank = 0; rank < job.ranks(); rank++) {
            RankEnd end = RankEnd.read(folder, rank);
            if (end.recorded() && end.failed()) {
                return true;
            }
        }
        return false;
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

    private StoppedException late() {
        return StoppedException.late(
                running,
                running.limit() == null ? job.timeout() : running.limit(),
                job.rankHosts().get(0),
                folder.logTail(0));
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
