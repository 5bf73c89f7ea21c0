// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

/** How pages get to NUMA nodes. */
public enum MemoryPolicy {
    /** The system's default; undoes a binding. */
    DEFAULT(0),
    /** On the node of the thread that touches a page first. */
    FIRST_TOUCH(1),
    /** On these nodes. */
    BIND(2),
    /** Page by page over these nodes. */
    INTERLEAVE(3),
    /** To the node of the thread that touches it next. */
    NEXT_TOUCH(4),
    /** Page by page, more where bandwidth is higher; hwloc 2.11 and Linux 6.9. */
    WEIGHTED_INTERLEAVE(5),
    /** Only reported, never set: parts of the memory have different policies. */
    MIXED(-1);

    final int number;

    MemoryPolicy(int number) {
        this.number = number;
    }

    static MemoryPolicy of(int number) {
        for (MemoryPolicy policy : values()) {
            if (policy.number == number) {
                return policy;
            }
        }
        return MIXED;
    }
}
