// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Processors that are not all alike, such as performance and efficiency cores. Since hwloc 2.4.
 *
 * <pre>{@code
 * List<CpuKinds.Kind> kinds = topology.cpuKinds().list();
 * Bitmap fastest = kinds.isEmpty() ? topology.cpuset() : kinds.get(kinds.size() - 1).cpuset();
 * }</pre>
 */
public final class CpuKinds {
    private final Topology topology;

    CpuKinds(Topology topology) {
        Hwloc.require(2, 4, "kinds of CPUs");
        this.topology = topology;
    }

    /** @param efficiency 0 for those that save most energy, upwards with speed; -1 where unknown */
    public record Kind(Bitmap cpuset, int efficiency, List<TopologyObject.Info> infos) {}

    /** From the least to the most powerful; empty where hwloc knows of none. */
    public List<Kind> list() {
        return topology.handle().read(address -> {
            List<Kind> kinds = new ArrayList<>();
            int count = CpuKindCalls.hwloc_cpukinds_get_nr(address, 0);
            for (int i = 0; i < count; i++) {
                kinds.add(read(address, i));
            }
            return List.copyOf(kinds);
        });
    }

    /** The kind that all of a set are of; empty where they are of several or unknown ones. */
    public Optional<Kind> of(Bitmap cpuset) {
        try (NativeSet set = NativeSet.of(cpuset)) {
            return topology.handle().read(address -> {
                int kind = CpuKindCalls.hwloc_cpukinds_get_by_cpuset(address, set.address, 0);
                return kind < 0 ? Optional.empty() : Optional.of(read(address, kind));
            });
        }
    }

    /**
     * Says of a set that it is a kind of its own. {@code efficiency} ranks it; -1 where unknown. Before the topology is
     * copied or restricted.
     */
    public void add(Bitmap cpuset, int efficiency) {
        if (efficiency < -1 || cpuset.isEmpty()) {
            throw HwlocException.refused(
                    "kinds of CPUs",
                    "processors and an efficiency from -1 on",
                    cpuset.toList() + " with " + efficiency,
                    "name them");
        }
        if (!topology.isAsLoaded()) {
            // hwloc would add to a list that it has already freed parts of.
            throw HwlocException.refused(
                    "kinds of CPUs",
                    "a topology as it was loaded",
                    "one that was copied or restricted",
                    "add kinds first");
        }
        try (NativeSet set = NativeSet.of(cpuset)) {
            topology.handle().change(address -> {
                int result = Hwloc.major() >= 3
                        ? CpuKindCalls.hwloc_cpukinds_register(address, set.address, efficiency, 0, 0)
                        : CpuKindCalls.hwloc_cpukinds_register(address, set.address, efficiency, 0, 0, 0);
                if (result != 0) {
                    throw HwlocException.failed(
                            "a kind of CPUs of " + cpuset.toList(), "name processors that the machine has");
                }
                return null;
            });
        }
    }

    private static Kind read(long address, int index) {
        int[] efficiency = new int[1];
        long[] infos = new long[1];
        try (NativeSet set = NativeSet.empty()) {
            List<TopologyObject.Info> read;
            if (Hwloc.major() >= 3) {
                check(CpuKindCalls.hwloc_cpukinds_get_info(address, index, set.address, efficiency, infos, 0));
                read = ObjectFields.infos(infos[0]);
            } else {
                int[] count = new int[1];
                check(CpuKindCalls.hwloc_cpukinds_get_info(address, index, set.address, efficiency, count, infos, 0));
                read = ObjectFields.infos(infos[0], count[0]);
            }
            return new Kind(set.read(), efficiency[0], read);
        }
    }

    private static void check(int result) {
        if (result != 0) {
            throw HwlocException.failed("hwloc_cpukinds_get_info", "load the topology again");
        }
    }
}
