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
 * Waits for the end of a started job, and collects its ranks' records from the hosts into the job's folder on this
 * host.
 */
final class JobWatch {
    private static final Duration START = ManualLaunch.START;
    /** After one rank failed, the time for the hosts to end the others. */
    private static final Duration GRACE = Duration.ofSeconds(1);
    /** The same while started ranks still end: a busy host may report late that its rank failed first. */
    private static final Duration ENDS = Duration.ofSeconds(5);

    /** So long mpiexec goes on then: it would end the guard of the rank that failed first before its record. */
    private static final Duration RECORDS = Duration.ofMillis(250);

    private static final long LOOK_MILLIS = 50;

    private final Job job;
    private final RunningJob running;
    private final Agents agents;
    private final Duration silence;
    private final JobFolder folder;
    private final List<String> hosts;
    private final boolean[] taken;
    /** Null for a job of one rank. */
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
     * Waits until mpiexec and all proxies have ended, or one has failed and the others had time to notice.
     *
     * <p>Errors: JobException after the deadline, after a cancel, and if an agent was lost or failed.
     */
    void untilEnd(long start) throws InterruptedException {
        long end = start + job.timeout().toNanos();
        long failedAt = 0;
        long metAt = 0;
        boolean told = false;
        while (true) {
            boolean over = mpiexec == null || !mpiexec.isAlive();
            boolean failed = mpiexec != null && over && mpiexec.exitValue() != 0;
            boolean ended = true; // every agent has sent its last report
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
            }
            if (failedAt != 0 && now - failedAt > RECORDS.toNanos() && !told && mpiexec != null && mpiexec.isAlive()) {
                // It ends the other ranks. By itself it would wait for ever for a proxy that never connected.
                mpiexec.destroy();
                told = true;
            }
            news = false;
            // A rank may have failed because its peer's host is lost. A silent host decides that: it reports again, or
            // its silence becomes too long.
            if (failedAt != 0 && now - failedAt > (ending ? ENDS : GRACE).toNanos() && !silent) {
                takeOfFailed();
                return;
            }
            if (now >= end) {
                endRanks(now);
                throw late();
            }
            metAt = met && metAt == 0 ? now : metAt; // before that, executors may be busy with other tasks
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

    /** Ends all ranks and waits a moment for their last reports, which carry their logs. */
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

    /** Errors: the loss of an agent or a proxy, which may look like the failure of a rank. */
    void findLost() {
        if (agents.cancelled()) {
            throw StoppedException.cancelled(job);
        }
        for (int host = 0; host < hosts.size(); host++) {
            HostReport report = agents.report(host);
            if ((report == null || !report.ended()) && agents.lost() != null) {
                throw lost(-1, agents.lost());
            }
            // A proxy may also end so while it cleans up behind a rank.
            if (mpiexec != null
                    && report != null
                    && report.proxyStatus() == Signals.STATUS_OF_KILLED
                    && !FirstCause.isARank(folder, job)) {
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

    /** Collects from hosts where one rank failed and others still run. */
    private void takeOfFailed() {
        for (int host = 0; host < hosts.size(); host++) {
            HostReport report = agents.report(host);
            if (report != null && report.rankFailed()) {
                take(host, report);
            }
        }
    }

    /** Collects the files of a host that has ended; a second time does nothing. */
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
