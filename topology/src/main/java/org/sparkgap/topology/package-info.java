// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
/**
 * The machine as objects, and threads on its processors: hwloc for the JVM, usable alone. Begin with
 * {@link org.sparkgap.topology.Topology}; sets are {@link org.sparkgap.topology.Bitmap}; what this process may use is
 * {@link org.sparkgap.topology.ProcessLimits}, which needs no hwloc.
 */
package org.sparkgap.topology;
