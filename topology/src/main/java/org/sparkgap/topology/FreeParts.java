// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The parts of a machine, each with what is free in it; requests are served from the smallest part that has enough, so
 * that large ones stay whole.
 */
final class FreeParts {
    private final List<Bitmap> units;
    private final List<Bitmap> parts;
    private final List<Bitmap> nodes;
    private final int[] left;
    private final int[] ranksOf;

    /** @param units cores or PUs that are free, disjoint, in the order in which they are taken */
    FreeParts(Topology topology, List<Bitmap> units) {
        this.units = new ArrayList<>(units);
        nodes = topology.objects(ObjectType.NUMANODE).stream()
                .map(TopologyObject::cpuset)
                .filter(set -> !set.isEmpty())
                .toList();
        // NUMA nodes need not coincide with packages or caches.
        parts = Stream.concat(
                        topology.all()
                                .filter(object -> object.type().isNormal())
                                .map(TopologyObject::cpuset),
                        nodes.stream())
                .distinct()
                .toList();
        left = parts.stream().mapToInt(part -> inside(part).size()).toArray();
        ranksOf = new int[nodes.size()];
    }

    /** That number of units close together; there are enough. */
    List<Bitmap> take(int count) {
        return takeWithin(count, null);
    }

    /** In a node that has the fewest takers so far, else anywhere. */
    List<Bitmap> takeApart(int count) {
        int node = IntStream.range(0, nodes.size())
                .filter(i -> inside(nodes.get(i)).size() >= count)
                .boxed()
                .min(Comparator.comparingInt(i -> ranksOf[i]))
                .orElse(-1);
        if (node < 0) {
            return take(count);
        }
        ranksOf[node]++;
        return takeWithin(count, nodes.get(node));
    }

    private List<Bitmap> takeWithin(int count, Bitmap outer) {
        int smallest = IntStream.range(0, parts.size())
                .filter(i -> left[i] >= count && (outer == null || parts.get(i).isIncludedIn(outer)))
                .boxed()
                .min(Comparator.comparingInt(i -> left[i]))
                .orElse(-1);
        List<Bitmap> taken = (smallest < 0 ? units : inside(parts.get(smallest)))
                .stream().limit(count).toList();
        units.removeAll(new HashSet<>(taken));
        for (int i = 0; i < left.length; i++) {
            Bitmap part = parts.get(i);
            left[i] -=
                    (int) taken.stream().filter(unit -> unit.isIncludedIn(part)).count();
        }
        return taken;
    }

    private List<Bitmap> inside(Bitmap part) {
        return units.stream().filter(unit -> unit.isIncludedIn(part)).toList();
    }
}
