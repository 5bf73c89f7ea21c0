// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Which processors a process takes for its threads: cores that lie together, of the smallest part of the machine that has enough, so that large parts stay
 * whole for others; a core's second PU only where there are fewer cores than threads.
 */
final class ThreadPlaces {
  private final Topology topology;
  private final Bitmap free;
  private final List<Bitmap> cores;

  /**
   * @param usable what this process may use
   * @param free what of it nobody has taken
   */
  ThreadPlaces(Topology topology, Bitmap usable, Bitmap free) {
    this.topology = topology;
    this.free = free;
    cores = new ArrayList<>(topology.objects(ObjectType.CORE).stream().map(core -> core.cpuset().and(usable)).filter(core -> !core.isEmpty()).toList());
    // Where the machine tells of no cores, each PU is one.
    usable.andNot(cores.stream().reduce(Bitmap.EMPTY, Bitmap::or)).and(topology.cpuset()).stream().forEach(pu -> cores.add(Bitmap.of(pu)));
  }

  /** One set for each thread; those of CPU and NUMA are the same for threads of one package or node. Empty where too little is free. */
  List<Bitmap> choose(int threads, AffinityLevel level) {
    List<Bitmap> whole = cores.stream().filter(core -> core.isIncludedIn(free)).map(core -> level == AffinityLevel.PU ? core.singlify() : core).toList();
    List<Bitmap> chosen = whole.size() >= threads ? together(whole, threads) : level == AffinityLevel.CORE ? List.of() : siblingsLast(threads);
    if (chosen.size() < threads || level == AffinityLevel.CORE || level == AffinityLevel.PU) {
      return chosen.size() < threads ? List.of() : chosen;
    }
    Bitmap all = chosen.stream().reduce(Bitmap.EMPTY, Bitmap::or);
    List<TopologyObject> parts = topology.objects(level == AffinityLevel.NUMA ? ObjectType.NUMANODE : ObjectType.PACKAGE);
    return chosen.stream().map(one -> parts.stream().map(TopologyObject::cpuset).filter(one::intersects).findFirst().orElse(all).and(all)).toList();
  }

  private List<Bitmap> together(List<Bitmap> whole, int threads) {
    Optional<List<Bitmap>> smallest = topology.all().filter(object -> object.type().isNormal())
        .map(object -> whole.stream().filter(core -> core.isIncludedIn(object.cpuset())).toList())
        .filter(inside -> inside.size() >= threads).min(Comparator.comparingInt(List::size));
    return smallest.orElse(whole).subList(0, threads);
  }

  /** PUs of cores that have the fewest threads already, of others or of ours. */
  private List<Bitmap> siblingsLast(int threads) {
    List<List<Bitmap>> rounds = new ArrayList<>();
    for (Bitmap core : cores) {
      int taken = core.andNot(free).weight();
      for (int pu : core.and(free).stream().toArray()) {
        while (rounds.size() <= taken) {
          rounds.add(new ArrayList<>());
        }
        rounds.get(taken++).add(Bitmap.of(pu));
      }
    }
    return rounds.stream().flatMap(List::stream).limit(threads).toList();
  }
}
