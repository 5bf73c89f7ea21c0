// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import com.sun.jna.Native;

/** Since hwloc 2.3; see {@link Calls}. An initiator is struct hwloc_location: two words, or null. */
final class MemoryAttributeCalls {
    static {
        Hwloc.require(2, 3, "memory attributes");
        Native.register(MemoryAttributeCalls.class, Hwloc.library());
    }

    private MemoryAttributeCalls() {}

    static native int hwloc_topology_refresh(long topology);

    static native int hwloc_memattr_get_name(long topology, int id, long[] name);

    static native int hwloc_memattr_get_flags(long topology, int id, long[] flags);

    static native int hwloc_memattr_get_value(
            long topology, int id, long target, long[] initiator, long flags, long[] value);

    static native int hwloc_memattr_get_best_target(
            long topology, int id, long[] initiator, long flags, long[] best, long[] value);

    static native int hwloc_memattr_get_best_initiator(
            long topology, int id, long target, long flags, long[] best, long[] value);

    static native int hwloc_memattr_get_targets(
            long topology, int id, long[] initiator, long flags, int[] count, long[] targets, long[] values);

    static native int hwloc_memattr_get_initiators(
            long topology, int id, long target, long flags, int[] count, long[] initiators, long[] values);

    static native int hwloc_memattr_register(long topology, String name, long flags, int[] id);

    static native int hwloc_memattr_set_value(
            long topology, int id, long target, long[] initiator, long flags, long value);

    static native int hwloc_get_local_numanode_objs(
            long topology, long[] location, int[] count, long[] nodes, long flags);
}
