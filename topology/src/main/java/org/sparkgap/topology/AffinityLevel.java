// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

/** How close to its processors a thread is kept, of those that its process has claimed. */
public enum AffinityLevel {
    /** Anywhere. */
    NONE,
    /** The claimed processors of one package. */
    CPU,
    /** One whole core, which no other thread has. */
    CORE,
    /** One PU; a core's second is taken last. */
    PU,
    /** The claimed processors of one NUMA node. */
    NUMA
}
