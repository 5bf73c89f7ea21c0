// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.util.EnumSet;
import java.util.Set;

/** How a topology is loaded. */
public enum TopologyFlag {
    /** Show what this process may not use, too; it stays out of the allowed sets. */
    INCLUDE_DISALLOWED(0, 2, 1),
    /** The XML or synthetic text describes this very machine: binding works. */
    IS_THIS_SYSTEM(1, 2, 1),
    /** With an XML of this machine: what is allowed is asked of the system, not of the XML. */
    THIS_SYSTEM_ALLOWED_RESOURCES(2, 2, 1),
    /** What the XML says about support is shown, though it is of another machine. */
    IMPORT_SUPPORT(3, 2, 3),
    /** Only what the mask of this process allows, e.g. under taskset; needs IS_THIS_SYSTEM. */
    RESTRICT_TO_CPU_BINDING(4, 2, 5),
    RESTRICT_TO_MEMORY_BINDING(5, 2, 5),
    /** No thread is moved while the machine is looked at. The default for this machine where hwloc can. */
    DONT_CHANGE_BINDING(6, 2, 5),
    NO_DISTANCES(7, 2, 8),
    NO_MEMORY_ATTRIBUTES(8, 2, 8),
    NO_CPU_KINDS(9, 2, 8);

    private final int bit;
    private final int major;
    private final int minor;

    TopologyFlag(int bit, int major, int minor) {
        this.bit = bit;
        this.major = major;
        this.minor = minor;
    }

    boolean isKnown() {
        return Hwloc.isAtLeast(major, minor);
    }

    /** Errors: HwlocException where this version of hwloc does not know one of them. */
    static long bits(Set<TopologyFlag> flags) {
        long bits = 0;
        for (TopologyFlag flag : flags) {
            Hwloc.require(flag.major, flag.minor, flag.name());
            bits |= 1L << flag.bit;
        }
        return bits;
    }

    static Set<TopologyFlag> of(long bits) {
        Set<TopologyFlag> flags = EnumSet.noneOf(TopologyFlag.class);
        for (TopologyFlag flag : values()) {
            if ((bits >> flag.bit & 1) != 0) {
                flags.add(flag);
            }
        }
        return flags;
    }
}
