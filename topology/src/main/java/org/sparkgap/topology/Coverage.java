// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Which objects have a set of processors, are in it, or are near to an object; and fair shares of the machine.
 *
 * <pre>{@code
 * Coverage coverage = topology.coverage();
 * coverage.smallestWith(Bitmap.of(0, 1));          // e.g. Core#0
 * coverage.largestIn(usable);                      // a few objects that make up the set
 * coverage.nodesOf(core.cpuset());                 // its NUMA nodes
 * List<Bitmap> ranks = coverage.distribute(4);     // four sets as far from each other as can be
 * }</pre>
 */
public final class Coverage {
    private final ObjectTree tree;

    Coverage(ObjectTree tree) {
        this.tree = tree;
    }

    /** The smallest normal object that has all of the set; empty where the machine does not, or the set is empty. */
    public Optional<TopologyObject> smallestWith(Bitmap cpuset) {
        if (cpuset.isEmpty() || !cpuset.isIncludedIn(tree.root.cpuset())) {
            return Optional.empty();
        }
        TopologyObject found = tree.root;
        for (Optional<TopologyObject> child = childWith(found, cpuset);
                child.isPresent();
                child = childWith(found, cpuset)) {
            found = child.get();
        }
        return Optional.of(found);
    }

    /** The smallest data or unified cache that has all of the set. */
    public Optional<TopologyObject> smallestCacheWith(Bitmap cpuset) {
        return smallestWith(cpuset)
                .flatMap(object -> object.type().isDataCache()
                        ? Optional.of(object)
                        : object.ancestors()
                                .filter(above -> above.type().isDataCache())
                                .findFirst());
    }

    /** The child that has all of the set. */
    public Optional<TopologyObject> childWith(TopologyObject parent, Bitmap cpuset) {
        return cpuset.isEmpty()
                ? Optional.empty()
                : parent.children().stream()
                        .filter(child -> cpuset.isIncludedIn(child.cpuset()))
                        .findFirst();
    }

    /** Objects of a type that have some of the set. */
    public List<TopologyObject> touching(Bitmap cpuset, ObjectType type) {
        return tree.objects(type).stream()
                .filter(object -> object.cpuset() != null && object.cpuset().intersects(cpuset))
                .toList();
    }

    /** Objects of a type that are in the set with all their PUs, of which they have one at least. */
    public List<TopologyObject> within(Bitmap cpuset, ObjectType type) {
        return tree.objects(type).stream()
                .filter(object -> object.cpuset() != null
                        && !object.cpuset().isEmpty()
                        && object.cpuset().isIncludedIn(cpuset))
                .toList();
    }

    /**
     * The fewest objects that make up the set exactly, left to right. Errors: HwlocException where the machine does not
     * have all of it.
     */
    public List<TopologyObject> largestIn(Bitmap cpuset) {
        if (!cpuset.isIncludedIn(tree.root.cpuset())) {
            throw HwlocException.refused(
                    "topology",
                    "processors of " + tree.root.cpuset().toList(),
                    cpuset.toList(),
                    "name processors that the machine has");
        }
        List<TopologyObject> found = new ArrayList<>();
        largestIn(tree.root, cpuset, found);
        return found;
    }

    /** All others of its depth, those first that share the smallest part of the machine with it. */
    public List<TopologyObject> closestTo(TopologyObject object) {
        List<TopologyObject> found = new ArrayList<>();
        if (object.cpuset() == null) {
            return found;
        }
        TopologyObject inner = object;
        for (TopologyObject outer : object.ancestors().toList()) {
            if (!outer.cpuset().equals(inner.cpuset())) {
                for (TopologyObject other : tree.atDepth(object.depth())) {
                    if (other.cpuset().isIncludedIn(outer.cpuset())
                            && !other.cpuset().isIncludedIn(inner.cpuset())) {
                        found.add(other);
                    }
                }
                inner = outer;
            }
        }
        return found;
    }

    /** NUMA nodes that have some of these processors, by the system's number. */
    public Bitmap nodesOf(Bitmap cpuset) {
        return Bitmap.of(touching(cpuset, ObjectType.NUMANODE).stream()
                .mapToInt(TopologyObject::osIndex)
                .toArray());
    }

    /** Processors of these NUMA nodes. */
    public Bitmap cpusOf(Bitmap nodeset) {
        return tree.objects(ObjectType.NUMANODE).stream()
                .filter(node -> nodeset.has(node.osIndex()))
                .map(TopologyObject::cpuset)
                .reduce(Bitmap.EMPTY, Bitmap::or);
    }

    /** One PU of each core of the set: its {@code which}-th, from 0; cores with fewer give none. */
    public Bitmap onePerCore(Bitmap cpuset, int which) {
        Bitmap left = Bitmap.EMPTY;
        for (TopologyObject core : touching(cpuset, ObjectType.CORE)) {
            int[] ofCore =
                    core.cpuset().and(cpuset).stream().skip(which).limit(1).toArray();
            left = left.or(Bitmap.of(ofCore));
        }
        Bitmap inCores = tree.objects(ObjectType.CORE).stream()
                .map(TopologyObject::cpuset)
                .reduce(Bitmap.EMPTY, Bitmap::or);
        return which == 0 ? left.or(cpuset.andNot(inCores)) : left;
    }

    /** {@code n} sets over the whole machine. */
    public List<Bitmap> distribute(int n) {
        return distribute(n, List.of(tree.root), Integer.MAX_VALUE, false);
    }

    /**
     * hwloc_distrib: {@code n} sets over these objects, in shares of their PUs, each as large and as far from the
     * others as can be.
     *
     * @param until no deeper than this level of the tree: the sets are then of whole objects of it
     * @param reverse the last objects first
     */
    public List<Bitmap> distribute(int n, List<TopologyObject> roots, int until, boolean reverse) {
        if (n < 1
                || roots.stream()
                        .allMatch(root -> root.cpuset() == null || root.cpuset().isEmpty())) {
            throw HwlocException.refused(
                    "distribute",
                    "at least one set over objects with processors",
                    n + " over " + roots,
                    "ask for one at least");
        }
        Bitmap[] sets = new Bitmap[n];
        distribute(sets, 0, n, roots, until, reverse);
        return List.of(sets);
    }

    private static void distribute(
            Bitmap[] sets, int first, int n, List<TopologyObject> roots, int until, boolean reverse) {
        long all = roots.stream()
                .filter(root -> root.cpuset() != null)
                .mapToLong(root -> root.cpuset().weight())
                .sum();
        long before = 0;
        int next = first;
        for (int i = 0; i < roots.size(); i++) {
            TopologyObject root = roots.get(reverse ? roots.size() - 1 - i : i);
            Bitmap cpuset = root.cpuset();
            if (cpuset == null || cpuset.isEmpty()) {
                continue;
            }
            while (!root.type().isNormal()) {
                root = root.parent();
            }
            int share = (int) (((before + cpuset.weight()) * n + all - 1) / all - (before * n + all - 1) / all);
            if (share > 1 && !root.children().isEmpty() && root.depth() < until) {
                distribute(sets, next, share, root.children(), until, reverse);
            } else if (share == 0) {
                // Too small for a share of its own: a neighbour takes it, so that no processor is left out.
                sets[next - 1] = sets[next - 1].or(cpuset);
            } else {
                Arrays.fill(sets, next, next + share, cpuset);
            }
            next += share;
            before += cpuset.weight();
        }
    }

    private static void largestIn(TopologyObject object, Bitmap cpuset, List<TopologyObject> found) {
        if (object.cpuset().isEmpty() || !object.cpuset().intersects(cpuset)) {
            return;
        }
        if (object.cpuset().isIncludedIn(cpuset)) {
            found.add(object);
        } else {
            object.children().forEach(child -> largestIn(child, cpuset, found));
        }
    }
}
