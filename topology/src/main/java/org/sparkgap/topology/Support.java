// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What hwloc can do with a topology, by the names that its XML has.
 *
 * <pre>{@code
 * if (topology.support().has("membind.set_thisthread_membind")) { ... }
 * topology.support().all().forEach((name, can) -> System.out.println(name + " " + can));
 * }</pre>
 *
 * <p>On a topology of another machine nothing of cpubind and membind is supported, unless it says otherwise with
 * IMPORT_SUPPORT.
 *
 * @param all names such as discovery.pu, cpubind.set_thisproc_cpubind and membind.migrate_membind
 */
public record Support(Map<String, Boolean> all) {
    private static final List<String> CPUBIND = List.of(
            "set_thisproc_cpubind",
            "get_thisproc_cpubind",
            "set_proc_cpubind",
            "get_proc_cpubind",
            "set_thisthread_cpubind",
            "get_thisthread_cpubind",
            "set_thread_cpubind",
            "get_thread_cpubind",
            "get_thisproc_last_cpu_location",
            "get_proc_last_cpu_location",
            "get_thisthread_last_cpu_location");
    private static final List<String> MEMBIND_COMMON = List.of(
            "set_thisproc_membind",
            "get_thisproc_membind",
            "set_proc_membind",
            "get_proc_membind",
            "set_thisthread_membind",
            "get_thisthread_membind");
    private static final List<String> MEMBIND_2 = List.of(
            "set_area_membind",
            "get_area_membind",
            "alloc_membind",
            "firsttouch_membind",
            "bind_membind",
            "interleave_membind",
            "nexttouch_membind",
            "migrate_membind",
            "get_area_memlocation");
    private static final List<String> MEMBIND_3 = List.of(
            "alloc_membind",
            "set_area_membind",
            "get_area_membind",
            "get_area_memlocation",
            "firsttouch_membind",
            "bind_membind",
            "interleave_membind",
            "weighted_interleave_membind",
            "nexttouch_membind",
            "migrate_membind");

    public Support {
        all = Map.copyOf(all);
    }

    /** False for a name that this version of hwloc does not have. */
    public boolean has(String name) {
        return all.getOrDefault(name, false);
    }

    static Support read(long topology) {
        ByteBuffer groups = RawMemory.copy(Calls.hwloc_topology_get_support(topology), 3 * Long.BYTES);
        List<String> discovery =
                new ArrayList<>(List.of("pu", "numa", "numa_memory", "disallowed_pu", "disallowed_numa"));
        if (Hwloc.isAtLeast(2, 4)) {
            discovery.add("cpukind_efficiency");
        }
        List<String> membind = new ArrayList<>(MEMBIND_COMMON);
        membind.addAll(Hwloc.major() >= 3 ? MEMBIND_3 : MEMBIND_2);
        Map<String, Boolean> all = new LinkedHashMap<>();
        read(all, "discovery.", groups.getLong(0), discovery);
        read(all, "cpubind.", groups.getLong(8), CPUBIND);
        read(all, "membind.", groups.getLong(16), membind);
        return new Support(all);
    }

    /** A struct of bytes, one a name. */
    private static void read(Map<String, Boolean> all, String prefix, long address, List<String> names) {
        ByteBuffer bytes = RawMemory.copy(address, names.size());
        for (int i = 0; i < names.size(); i++) {
            all.put(prefix + names.get(i), bytes.get(i) != 0);
        }
    }
}
