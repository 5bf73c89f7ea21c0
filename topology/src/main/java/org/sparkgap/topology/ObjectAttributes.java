// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.util.List;
import java.util.Set;

/**
 * What an object has by its type.
 *
 * <pre>{@code
 * for (TopologyObject l3 : topology.objects(ObjectType.L3CACHE)) {
 *   if (l3.attributes() instanceof ObjectAttributes.Cache cache) {
 *     System.out.println(cache.size() + " bytes for " + l3.cpuset().toList());
 *   }
 * }
 * }</pre>
 */
public sealed interface ObjectAttributes {
    /** Of types that have none: Machine, Package, Core, PU, Misc and others. */
    record None() implements ObjectAttributes {}

    enum CacheType {
        UNIFIED,
        DATA,
        INSTRUCTION
    }

    /**
     * Of caches, memory-side ones too.
     *
     * @param size bytes, 0 where unknown
     * @param depth 1 for L1
     * @param lineSize bytes, 0 where unknown
     * @param associativity ways; -1 fully associative, 0 unknown
     */
    record Cache(long size, int depth, int lineSize, int associativity, CacheType type) implements ObjectAttributes {}

    /**
     * Of NUMA nodes.
     *
     * @param localMemory bytes
     * @param pageTypes sizes and counts; hwloc 3 knows none
     */
    record NumaNode(long localMemory, List<PageType> pageTypes) implements ObjectAttributes {}

    /** Pages of one size: bytes and how many. */
    record PageType(long size, long count) {}

    /** @param depth of groups within groups, from 0 */
    record Group(int depth, int kind, int subkind) implements ObjectAttributes {}

    /**
     * A PCI function: its place domain:bus:device.function, and what it is. {@code linkSpeed} is in GB/s, 0 where
     * unknown.
     */
    record Pci(
            int domain,
            int bus,
            int device,
            int function,
            int classId,
            int vendorId,
            int deviceId,
            int subvendorId,
            int subdeviceId,
            int revision,
            float linkSpeed)
            implements ObjectAttributes {
        /** Such as 0000:02:00.1, as lspci writes it. */
        public String busId() {
            return String.format("%04x:%02x:%02x.%01x", domain, bus, device, function);
        }
    }

    /** @param upstream null where the bridge is at the host's side */
    record Bridge(Pci upstream, int domain, int secondaryBus, int subordinateBus, int depth)
            implements ObjectAttributes {}

    enum OsDeviceType {
        STORAGE,
        MEMORY,
        GPU,
        COPROCESSOR,
        NETWORK,
        OPENFABRICS,
        DMA
    }

    /** What the system calls a device, such as eth0 or sda; one device can be of several types (hwloc 3). */
    record OsDevice(Set<OsDeviceType> types) implements ObjectAttributes {}
}
