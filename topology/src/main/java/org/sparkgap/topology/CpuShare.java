// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Processors of this host that this process has claimed for threads, so that no other process which claims in the same
 * folder has them too. The kernel's file locks keep account, so processes need not talk to each other, and the
 * processors of a process are free the moment it ends, however it ends.
 *
 * <pre>{@code
 * Bitmap usable = Bitmap.parseList(ProcessLimits.read().allowedCpus().toString()).and(topology.allowedCpuset());
 * try (CpuShare share = CpuShare.claim(topology, usable, Path.of("/dev/shm/cpus"), 4, AffinityLevel.CORE)) {
 *   share.places();   // four cores, or nothing where fewer are free
 * }
 * }</pre>
 */
public final class CpuShare implements AutoCloseable {
    private final Runnable end;
    private final Bitmap free;
    private final List<Bitmap> places;
    private Bitmap lent = Bitmap.EMPTY;

    private CpuShare(Runnable end, Bitmap free, List<Bitmap> places) {
        this.end = end;
        this.free = free;
        this.places = places;
    }

    /** Claims processors for that number of threads of this process. */
    public static CpuShare claim(Topology topology, Bitmap usable, Path folder, int threads, AffinityLevel level)
            throws IOException {
        return claim(topology, usable, folder, CpuDemand.of(threads, level));
    }

    /**
     * Claims all that is wanted, or nothing where too little is free.
     *
     * <p>Errors: IOException where the folder cannot be used, or others claim for longer than 10 s.
     *
     * @param usable the processors that this process may use; it takes of these alone
     * @param folder the same for all processes that must not share processors; made if it is missing, for all users to
     *     write to
     */
    public static CpuShare claim(Topology topology, Bitmap usable, Path folder, CpuDemand demand) throws IOException {
        CpuLocks locks = new CpuLocks(folder);
        Bitmap[] free = {Bitmap.EMPTY};
        List<Bitmap> places = locks.take(usable.and(topology.cpuset()), available -> {
            free[0] = available;
            return new ThreadPlaces(topology, usable, available).choose(demand);
        });
        return new CpuShare(locks::close, free[0], places);
    }

    /**
     * A part of this share, for processes that this one starts. Parts of one share have no processor in common; closing
     * one gives it back to the share.
     */
    public synchronized CpuShare part(Topology topology, CpuDemand demand) {
        Bitmap left = cpuset().andNot(lent);
        List<Bitmap> chosen = new ThreadPlaces(topology, cpuset(), left).choose(demand);
        Bitmap taken = union(chosen);
        lent = lent.or(taken);
        return new CpuShare(once(() -> giveBack(taken)), left, chosen);
    }

    /** One set for each thread, one rank's after the other's; empty where too little was free. */
    public List<Bitmap> places() {
        return places;
    }

    /** All that is claimed. */
    public Bitmap cpuset() {
        return union(places);
    }

    /** The processors that were free before this claim. */
    public Bitmap wasFree() {
        return free;
    }

    /** Gives all back. A second close does nothing. */
    @Override
    public void close() {
        end.run();
    }

    private synchronized void giveBack(Bitmap part) {
        lent = lent.andNot(part);
    }

    private static Runnable once(Runnable what) {
        AtomicBoolean done = new AtomicBoolean();
        return () -> {
            if (done.compareAndSet(false, true)) {
                what.run();
            }
        };
    }

    private static Bitmap union(List<Bitmap> sets) {
        return sets.stream().reduce(Bitmap.EMPTY, Bitmap::or);
    }
}
