// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import com.sun.jna.Native;

/**
 * hwloc's functions as they are in C, under their names there: pointers, sizes and unsigned longs are longs, an out
 * parameter is an array of one.
 *
 * <p>This is the inner interface: only it, {@link RawMemory}, {@link Hwloc} and the three classes of calls beside it
 * know JNA, and nothing in their signatures does. A back end over java.lang.foreign is these classes again. Only what
 * hwloc 2.1 has stands here, because JNA wants all functions of a class.
 */
final class Calls {
    static {
        Native.register(Calls.class, Hwloc.library());
    }

    private Calls() {}

    /** Of this thread's last call. */
    static int errno() {
        return Native.getLastError();
    }

    static native int hwloc_topology_init(long[] topology);

    static native int hwloc_topology_load(long topology);

    static native void hwloc_topology_destroy(long topology);

    static native int hwloc_topology_dup(long[] copy, long topology);

    static native int hwloc_topology_abi_check(long topology);

    static native int hwloc_topology_set_flags(long topology, long flags);

    static native long hwloc_topology_get_flags(long topology);

    static native int hwloc_topology_set_components(long topology, long flags, String name);

    static native int hwloc_topology_set_pid(long topology, int pid);

    static native int hwloc_topology_set_synthetic(long topology, String description);

    static native int hwloc_topology_set_xml(long topology, String path);

    static native int hwloc_topology_set_xmlbuffer(long topology, byte[] text, int size);

    static native int hwloc_topology_set_type_filter(long topology, int type, int filter);

    static native int hwloc_topology_set_all_types_filter(long topology, int filter);

    static native int hwloc_topology_is_thissystem(long topology);

    static native long hwloc_topology_get_support(long topology);

    static native long hwloc_obj_type_string(int type);

    static native int hwloc_topology_get_depth(long topology);

    static native long hwloc_get_obj_by_depth(long topology, int depth, int index);

    static native long hwloc_topology_get_allowed_cpuset(long topology);

    static native long hwloc_topology_get_allowed_nodeset(long topology);

    static native int hwloc_topology_restrict(long topology, long set, long flags);

    static native int hwloc_topology_allow(long topology, long cpuset, long nodeset, long flags);

    static native long hwloc_topology_insert_misc_object(long topology, long parent, String name);

    static native long hwloc_topology_alloc_group_object(long topology);

    static native long hwloc_topology_insert_group_object(long topology, long group);

    static native int hwloc_obj_add_other_obj_sets(long target, long source);

    static native int hwloc_topology_export_xml(long topology, String path, long flags);

    static native int hwloc_topology_export_xmlbuffer(long topology, long[] text, int[] length, long flags);

    static native void hwloc_free_xmlbuffer(long topology, long text);

    static native int hwloc_topology_export_synthetic(long topology, byte[] text, long size, long flags);

    static native int hwloc_set_cpubind(long topology, long set, int flags);

    static native int hwloc_get_cpubind(long topology, long set, int flags);

    static native int hwloc_set_proc_cpubind(long topology, int pid, long set, int flags);

    static native int hwloc_get_proc_cpubind(long topology, int pid, long set, int flags);

    static native int hwloc_get_last_cpu_location(long topology, long set, int flags);

    static native int hwloc_get_proc_last_cpu_location(long topology, int pid, long set, int flags);

    static native int hwloc_set_membind(long topology, long set, int policy, int flags);

    static native int hwloc_get_membind(long topology, long set, int[] policy, int flags);

    static native int hwloc_set_proc_membind(long topology, int pid, long set, int policy, int flags);

    static native int hwloc_get_proc_membind(long topology, int pid, long set, int[] policy, int flags);

    static native int hwloc_set_area_membind(long topology, long address, long length, long set, int policy, int flags);

    static native int hwloc_get_area_membind(
            long topology, long address, long length, long set, int[] policy, int flags);

    static native int hwloc_get_area_memlocation(long topology, long address, long length, long set, int flags);

    static native long hwloc_alloc_membind(long topology, long length, long set, int policy, int flags);

    static native int hwloc_free(long topology, long address, long length);

    static native long hwloc_bitmap_alloc();

    static native void hwloc_bitmap_free(long set);

    static native int hwloc_bitmap_set_ith_ulong(long set, int i, long word);

    static native int hwloc_bitmap_set_range(long set, int first, int last);

    static native long hwloc_bitmap_to_ith_ulong(long set, int i);

    static native int hwloc_bitmap_last(long set);

    static native int hwloc_bitmap_last_unset(long set);

    static native int hwloc_distances_get(long topology, int[] count, long[] distances, long kind, long flags);

    static native int hwloc_distances_remove(long topology);

    static native int hwloc_distances_release_remove(long topology, long distances);

    static native void hwloc_distances_release(long topology, long distances);

    static native long hwloc_distances_get_name(long topology, long distances);
}
