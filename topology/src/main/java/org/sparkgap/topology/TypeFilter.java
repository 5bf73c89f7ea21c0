// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

/** Which objects of a type a topology keeps; the order is hwloc's. */
public enum TypeFilter {
    KEEP_ALL,
    KEEP_NONE,
    /** Those that say how others are arranged: not a level that has one child each. */
    KEEP_STRUCTURE,
    /** Those most programs want: of I/O, what bandwidth and disks hang on. */
    KEEP_IMPORTANT
}
