// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Agents of "hosts" that are all this one, each on a thread of its own; what one says can be held back, as when its
 * cable is cut.
 */
final class ThreadAgents implements Agents {
    private final Program program;
    private final Path directory;
    private final Path output;
    /** Of each host, null for the driver's own. */
    private final IntFunction<Path> folders;

    private final Mpi mpi;
    private final RankCpus cpus;
    private final IntPredicate falls;
    private final IntPredicate has;
    private final List<Thread> threads = new ArrayList<>();
    private final HostReport[] said;
    private final long[] heard;
    private RuntimeException failure;
    private boolean news;
    private boolean isEnding;
    private boolean isOver;

    /** The agent of a job's only host, in the driver's process. */
    static ThreadAgents ofDriver(Job job, Mpi mpi, RankCpus cpus) {
        return new ThreadAgents(job, mpi, cpus, host -> null, host -> false, host -> true);
    }

    /**
     * @param falls whether a host falls silent when its ranks have started
     * @param has whether a host has executors
     */
    ThreadAgents(Job job, Mpi mpi, RankCpus cpus, IntFunction<Path> folders, IntPredicate falls, IntPredicate has) {
        this.program = job.program();
        this.directory = job.directory();
        this.output = job.directory().getParent().resolveSibling("out");
        this.folders = folders;
        this.mpi = mpi;
        this.cpus = cpus;
        this.falls = falls;
        this.has = has;
        this.said = new HostReport[job.hosts().size()];
        this.heard = IntStream.range(0, said.length)
                .mapToLong(host -> System.nanoTime())
                .toArray();
    }

    @Override
    public void gather() {}

    @Override
    public void start(List<HostPart> parts) {
        IntStream.range(0, said.length).filter(has).forEach(host -> {
            Thread thread = new Thread(() -> work(host, parts.get(host)), "agent-" + host);
            threads.add(thread);
            thread.start();
        });
    }

    private void work(int host, HostPart part) {
        Path own = folders.apply(host);
        try (HostAgent agent = HostAgent.start(
                part,
                own == null ? directory : own,
                own == null,
                output,
                Map.of(),
                program,
                mpi,
                "127.0.0.1",
                cpus,
                false)) {
            HostReport last = agent.await(report -> says(host, report));
            if (!last.ended()) {
                agent.end();
                last = agent.report();
            }
            says(host, last);
            untilOver();
        } catch (RuntimeException | InterruptedException e) {
            fails(e instanceof RuntimeException known ? known : new IllegalStateException(e));
        }
    }

    private synchronized boolean says(int host, HostReport report) {
        if (!falls.test(host) || said[host] == null || !said[host].started()) {
            said[host] = report;
            heard[host] = System.nanoTime();
            news = true;
            notifyAll();
        }
        return !isOver && !isEnding;
    }

    /** The clean-up kills whatever is marked as of this job, mpiexec too, whose own end is to be seen first. */
    private synchronized void untilOver() throws InterruptedException {
        while (!isOver) {
            wait();
        }
    }

    private synchronized void fails(RuntimeException e) {
        failure = e;
        news = true;
        notifyAll();
    }

    @Override
    public synchronized HostReport report(int host) {
        if (failure != null) {
            throw failure;
        }
        return said[host];
    }

    @Override
    public synchronized long silentSince(int host) {
        return heard[host];
    }

    @Override
    public long clockAhead(int host) {
        return 0;
    }

    @Override
    public boolean deserted(int host) {
        return !has.test(host);
    }

    @Override
    public String lost() {
        return null;
    }

    @Override
    public boolean cancelled() {
        return false;
    }

    @SuppressWarnings("WaitNotInLoop") // who calls it looks again in any case
    @Override
    public synchronized void await(long millis) throws InterruptedException {
        if (!news) {
            wait(millis);
        }
        news = false;
    }

    @Override
    public synchronized void end() {
        isEnding = true;
    }

    @Override
    public void close() {
        synchronized (this) {
            isOver = true;
            notifyAll();
        }
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
