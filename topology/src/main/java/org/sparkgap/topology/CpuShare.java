// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Processors of this host that this process has claimed for its threads, so that no other process which claims in the same folder has them too. The
 * kernel's file locks say who has which, so nobody talks to anybody, and what a process had is free the moment it ends, however that is.
 *
 * <pre>{@code
 * Bitmap usable = Bitmap.parseList(ProcessLimits.read().allowedCpus().toString()).and(topology.allowedCpuset());
 * try (CpuShare share = CpuShare.claim(topology, usable, Path.of("/dev/shm/cpus"), 4, AffinityLevel.CORE)) {
 *   share.places();   // four cores, or nothing where fewer are free
 * }
 * }</pre>
 */
public final class CpuShare implements AutoCloseable {
  private final CpuLocks locks;
  private final Bitmap free;
  private final List<Bitmap> places;

  private CpuShare(CpuLocks locks, Bitmap free, List<Bitmap> places) {
    this.locks = locks;
    this.free = free;
    this.places = places;
  }

  /**
   * Claims what so many threads need, or nothing where too little is free.
   *
   * <p>Errors: IOException where the folder cannot be used, or others claim for longer than 10 s.
   *
   * @param usable what this process may use, of which alone it takes: a share that somebody else has given it is kept
   * @param folder the same for all processes that shall not meet; made where it is missing, for all users to write to
   */
  public static CpuShare claim(Topology topology, Bitmap usable, Path folder, int threads, AffinityLevel level) throws IOException {
    if (threads < 1 || level == AffinityLevel.NONE) {
      throw HwlocException.refused("claim of processors", "at least one thread and a level", threads + " at " + level, "claim nothing");
    }
    CpuLocks locks = new CpuLocks(folder);
    Bitmap[] free = {Bitmap.EMPTY};
    List<Bitmap> places = locks.take(usable.and(topology.cpuset()), available -> {
      free[0] = available;
      return new ThreadPlaces(topology, usable, available).choose(threads, level);
    });
    return new CpuShare(locks, free[0], places);
  }

  /** One set for each thread; empty where too little was free. */
  public List<Bitmap> places() {
    return places;
  }

  /** All that is claimed. */
  public Bitmap cpuset() {
    return places.stream().reduce(Bitmap.EMPTY, Bitmap::or);
  }

  /** What nobody had before this claim. */
  public Bitmap wasFree() {
    return free;
  }

  /** Gives all back. A second close does nothing. */
  @Override
  public void close() {
    locks.close();
  }
}
