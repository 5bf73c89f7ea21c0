// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.Predicate;

/**
 * Changes a loaded topology. Objects that were taken before stay as they were; take them anew.
 *
 * <pre>{@code
 * topology.change().restrictTo(usable);                                    // the rest of the machine is gone
 * topology.change().restrictTo(usable, TopologyChange.Restrict.REMOVE_CPULESS);
 * topology.change().allow(Bitmap.range(0, 3), topology.nodeset());
 * topology.change().addGroup(List.of(core0, core1));
 * }</pre>
 */
public final class TopologyChange {
    /** What else is removed or kept when processors or NUMA nodes are removed. */
    public enum Restrict {
        /** NUMA nodes without processors go too; not with restrictToNodes. */
        REMOVE_CPULESS(0),
        /** Misc objects move to their parent's parent rather than go. */
        ADAPT_MISC(1),
        /** I/O objects likewise. */
        ADAPT_IO(2),
        /** Processors without NUMA nodes go too; with restrictToNodes alone. */
        REMOVE_MEMLESS(4);

        private final int bit;

        Restrict(int bit) {
            this.bit = bit;
        }
    }

    private static final long BY_NODESET = 8;
    private static final long ALL = 1;
    private static final long LOCAL = 2;
    private static final long CUSTOM = 4;

    private final Topology topology;

    TopologyChange(Topology topology) {
        this.topology = topology;
    }

    /** Keeps these processors alone. At least one of them must be allowed: EINVAL. */
    public void restrictTo(Bitmap cpuset, Restrict... how) {
        Bitmap cpus = cpuset.not();
        Bitmap nodes = numbers(ObjectType.NUMANODE, how, Restrict.REMOVE_CPULESS, node -> node.cpuset()
                .isIncludedIn(cpus));
        survives(object -> object.completeNodeset().intersects(nodes)
                && !object.completeCpuset().intersects(cpus)
                && !object.completeCpuset().isEmpty());
        restrict(cpuset, bits(how));
    }

    /** Keeps these NUMA nodes alone, and all processors without REMOVE_MEMLESS. */
    public void restrictToNodes(Bitmap nodeset, Restrict... how) {
        Bitmap nodes = nodeset.not();
        Bitmap cpus = numbers(
                ObjectType.PU, how, Restrict.REMOVE_MEMLESS, pu -> pu.nodeset().isIncludedIn(nodes));
        survives(object -> object.completeCpuset().intersects(cpus)
                && !object.completeNodeset().intersects(nodes)
                && !object.completeNodeset().isEmpty());
        restrict(nodeset, bits(how) | BY_NODESET);
    }

    /**
     * All of the machine is allowed. This and the next two need a topology loaded with INCLUDE_DISALLOWED, EINVAL
     * otherwise.
     */
    public void allowAll() {
        changed(address -> check(Calls.hwloc_topology_allow(address, 0, 0, ALL), "allowing all"));
    }

    /** What the system allows this process now. Only on this system. */
    public void allowLocal() {
        changed(address -> check(Calls.hwloc_topology_allow(address, 0, 0, LOCAL), "allowing what the system does"));
    }

    /** These are allowed; both sets must have something of the machine. */
    public void allow(Bitmap cpuset, Bitmap nodeset) {
        try (NativeSet cpus = NativeSet.of(cpuset);
                NativeSet nodes = NativeSet.of(nodeset)) {
            changed(address -> check(
                    Calls.hwloc_topology_allow(address, cpus.address, nodes.address, CUSTOM),
                    "allowing " + cpuset.toList()));
        }
    }

    /** A note in the tree. Needs a topology loaded with the filter KEEP_ALL for MISC. */
    public TopologyObject addMisc(TopologyObject parent, String name) {
        long[] made = new long[1];
        changed(
                address -> made[0] = Calls.hwloc_topology_insert_misc_object(address, topology.addressOf(parent), name),
                made,
                "a Misc object");
        return topology.objectAt(made[0]);
    }

    /** A group around objects that have sets: what stood there already where there is such an object. */
    public TopologyObject addGroup(List<TopologyObject> members) {
        if (members.isEmpty() || members.stream().anyMatch(member -> member.cpuset() == null)) {
            throw HwlocException.refused(
                    "group",
                    "at least one object, none of them I/O or Misc",
                    members.toString(),
                    "name objects with processors or memory");
        }
        long[] made = new long[1];
        changed(
                address -> {
                    long[] objects =
                            members.stream().mapToLong(topology::addressOf).toArray();
                    long group = Calls.hwloc_topology_alloc_group_object(address);
                    if (group != 0) {
                        Arrays.stream(objects).forEach(object -> Calls.hwloc_obj_add_other_obj_sets(group, object));
                        made[0] = Calls.hwloc_topology_insert_group_object(address, group);
                    }
                },
                made,
                "a group of " + members);
        return topology.objectAt(made[0]);
    }

    /** The processors or nodes that are removed because their counterparts are. */
    private Bitmap numbers(ObjectType type, Restrict[] how, Restrict flag, Predicate<TopologyObject> goes) {
        return List.of(how).contains(flag)
                ? Bitmap.of(topology.objects(type).stream()
                        .filter(goes)
                        .mapToInt(TopologyObject::osIndex)
                        .toArray())
                : Bitmap.EMPTY;
    }

    /** An assertion of hwloc up to 2.9.0: no object loses memory but no processor, nor the other way round. */
    private void survives(Predicate<TopologyObject> asserted) {
        if (!Hwloc.isAtLeast(2, 10)
                && topology.all().anyMatch(object -> object.cpuset() != null && asserted.test(object))) {
            throw HwlocException.refused(
                    "restrict",
                    "with hwloc before 2.10, processors and memory to go together",
                    "objects that lose one alone",
                    "leave out REMOVE_CPULESS and REMOVE_MEMLESS");
        }
    }

    private void restrict(Bitmap set, long flags) {
        try (NativeSet kept = NativeSet.of(set)) {
            topology.restricted();
            changed(address -> check(
                    Calls.hwloc_topology_restrict(address, kept.address, flags), "restricting to " + set.toList()));
        }
    }

    private void changed(LongConsumer change, long[] made, String what) {
        changed(address -> {
            change.accept(address);
            if (made[0] == 0) {
                throw HwlocException.failed("adding " + what, "look at the topology's filters and at the sets");
            }
        });
    }

    private void changed(LongConsumer change) {
        topology.handle().change(address -> {
            change.accept(address);
            if (Hwloc.isAtLeast(2, 3)) {
                MemoryAttributeCalls.hwloc_topology_refresh(address);
            }
            topology.readAgain(address);
            return null;
        });
    }

    private static long bits(Restrict... how) {
        return Arrays.stream(how).mapToLong(flag -> 1L << flag.bit).reduce(0, (all, bit) -> all | bit);
    }

    private static void check(int result, String what) {
        if (result != 0) {
            throw HwlocException.failed(what, "name processors and nodes that the topology has and allows");
        }
    }
}
