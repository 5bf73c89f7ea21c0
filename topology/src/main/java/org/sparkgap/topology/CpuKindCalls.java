// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import com.sun.jna.Native;

/** Since hwloc 2.4; see {@link Calls}. Where two have one name, the first is of hwloc 2 and the second of hwloc 3. */
final class CpuKindCalls {
    static {
        Hwloc.require(2, 4, "kinds of CPUs");
        Native.register(CpuKindCalls.class, Hwloc.library());
    }

    private CpuKindCalls() {}

    static native int hwloc_cpukinds_get_nr(long topology, long flags);

    static native int hwloc_cpukinds_get_by_cpuset(long topology, long set, long flags);

    static native int hwloc_cpukinds_get_info(
            long topology, int kind, long set, int[] efficiency, int[] infoCount, long[] infos, long flags);

    static native int hwloc_cpukinds_get_info(
            long topology, int kind, long set, int[] efficiency, long[] infos, long flags);

    static native int hwloc_cpukinds_register(
            long topology, long set, int efficiency, int infoCount, long infos, long flags);

    static native int hwloc_cpukinds_register(long topology, long set, int efficiency, long infos, long flags);
}
