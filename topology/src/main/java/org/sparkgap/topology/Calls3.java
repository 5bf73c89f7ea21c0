// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import com.sun.jna.Native;

/** Since hwloc 3; see {@link Calls}. */
final class Calls3 {
    static {
        Hwloc.require(3, 0, "infos of a topology");
        Native.register(Calls3.class, Hwloc.library());
    }

    private Calls3() {}

    static native long hwloc_topology_get_infos(long topology);
}
