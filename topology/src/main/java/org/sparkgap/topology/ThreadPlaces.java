// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.util.ArrayList;
import java.util.List;

/**
 * Which processors a process takes for its threads, or for ranks that it starts: those of one lie together, in the
 * smallest part of the machine that has enough; a core's second PU is taken only where there are fewer cores than
 * threads.
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
        cores = new ArrayList<>(topology.objects(ObjectType.CORE).stream()
                .map(core -> core.cpuset().and(usable))
                .filter(core -> !core.isEmpty())
                .toList());
        // Where the machine tells of no cores, each PU is one.
        usable.andNot(cores.stream().reduce(Bitmap.EMPTY, Bitmap::or)).and(topology.cpuset()).stream()
                .forEach(pu -> cores.add(Bitmap.of(pu)));
    }

    /**
     * One set for each thread, one rank's after the other's; those of CPU and NUMA are the same for threads of one
     * package or node. Empty where too little is free.
     */
    List<Bitmap> choose(CpuDemand demand) {
        AffinityLevel level = demand.level();
        List<Bitmap> units = cores.stream()
                .filter(core -> core.isIncludedIn(free))
                .map(core -> level == AffinityLevel.PU ? core.singlify() : core)
                .toList();
        if (units.size() < demand.all() && level != AffinityLevel.CORE) {
            units = siblingsLast(demand.all());
            // Siblings are of one rank where they can be.
            units = demand.ranks() == 1 ? units : sideBySide(units);
        }
        if (units.size() < demand.all()) {
            return List.of();
        }
        FreeParts parts = new FreeParts(topology, units);
        List<Bitmap> places = new ArrayList<>();
        for (int rank = 0; rank < demand.ranks(); rank++) {
            places.addAll(
                    widened(demand.apart() ? parts.takeApart(demand.threads()) : parts.take(demand.threads()), level));
        }
        return places;
    }

    /** What the level makes of one rank's places. */
    private List<Bitmap> widened(List<Bitmap> chosen, AffinityLevel level) {
        if (level == AffinityLevel.CORE || level == AffinityLevel.PU) {
            return chosen;
        }
        Bitmap all = chosen.stream().reduce(Bitmap.EMPTY, Bitmap::or);
        List<TopologyObject> parts =
                topology.objects(level == AffinityLevel.NUMA ? ObjectType.NUMANODE : ObjectType.PACKAGE);
        return chosen.stream()
                .map(one -> parts.stream()
                        .map(TopologyObject::cpuset)
                        .filter(one::intersects)
                        .findFirst()
                        .orElse(all)
                        .and(all))
                .toList();
    }

    /** PUs core by core. */
    private List<Bitmap> sideBySide(List<Bitmap> pus) {
        Bitmap all = pus.stream().reduce(Bitmap.EMPTY, Bitmap::or);
        return cores.stream()
                .flatMap(core -> core.and(all).stream().mapToObj(Bitmap::of))
                .toList();
    }

    /** PUs of cores that have the fewest threads already, of others or of ours. */
    private List<Bitmap> siblingsLast(long threads) {
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
