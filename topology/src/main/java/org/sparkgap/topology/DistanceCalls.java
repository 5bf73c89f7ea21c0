// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import com.sun.jna.Native;

/** Since hwloc 2.5; see {@link Calls}. */
final class DistanceCalls {
    static {
        Hwloc.require(2, 5, "new or transformed distances");
        Native.register(DistanceCalls.class, Hwloc.library());
    }

    private DistanceCalls() {}

    static native int hwloc_distances_transform(long topology, long distances, int transform, long nothing, long flags);

    static native long hwloc_distances_add_create(long topology, String name, long kind, long flags);

    static native int hwloc_distances_add_values(
            long topology, long handle, int count, long[] objects, long[] values, long flags);

    static native int hwloc_distances_add_commit(long topology, long handle, long flags);
}
