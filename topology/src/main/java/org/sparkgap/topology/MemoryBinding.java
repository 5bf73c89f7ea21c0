// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.nio.ByteBuffer;

/**
 * On which NUMA nodes memory lies. Nodes are named by the system's numbers, as {@link TopologyObject#nodeset()} has
 * them.
 *
 * <pre>{@code
 * MemoryBinding binding = topology.memoryBinding();
 * binding.bindThread(Bitmap.of(0), MemoryPolicy.BIND);       // what this thread allocates from now on
 * binding.thread();                                          // Placement[nodeset=0x00000001, policy=BIND]
 * try (MemoryBinding.Area area = binding.allocate(1 << 20, Bitmap.of(0), MemoryPolicy.BIND)) {
 *   area.bytes().putInt(0, 42);
 *   binding.location(area.bytes());                          // nodes that its touched pages are on
 * }
 * }</pre>
 *
 * <p>Java's heap is touched by the collector, so that the thread's policy says little about it: bind the process, or
 * start it with -XX:+UseNUMA. Refused with HwlocException: a topology of another machine, virtual threads, what the
 * system does not support or allow.
 */
public final class MemoryBinding {
    private static final int PROCESS = 1;
    private static final int THREAD = 2;
    private static final int MIGRATE = 8;
    private static final int BY_NODESET = 32;

    private final Topology topology;

    MemoryBinding(Topology topology) {
        this.topology = topology;
    }

    public record Placement(Bitmap nodeset, MemoryPolicy policy) {}

    /** Memory outside the heap, freed by close(): not to be touched afterwards. */
    public final class Area implements AutoCloseable {
        private final long size;
        private long area;

        private Area(long area, long size) {
            this.area = area;
            this.size = size;
        }

        /** All of it, in the machine's byte order. */
        public ByteBuffer bytes() {
            return RawMemory.buffer(area, size);
        }

        @Override
        public void close() {
            if (area != 0) {
                topology.handle().read(address -> Calls.hwloc_free(address, area, size));
                area = 0;
            }
        }
    }

    /** What the calling thread allocates from now on. */
    public void bindThread(Bitmap nodeset, MemoryPolicy policy) {
        set(
                "memory of this thread",
                nodeset,
                policy,
                (address, set) -> Calls.hwloc_set_membind(address, set, policy.number, THREAD | BY_NODESET));
    }

    /**
     * What this process allocates from now on. Linux cannot: ENOSYS; bind before the start of the JVM, by numactl or
     * hwloc-bind.
     */
    public void bindProcess(Bitmap nodeset, MemoryPolicy policy) {
        set(
                "memory of this process",
                nodeset,
                policy,
                (address, set) -> Calls.hwloc_set_membind(address, set, policy.number, PROCESS | BY_NODESET));
    }

    /** With {@code migrate} what it has already moves, too, which is all that Linux can do for another process. */
    public void bindProcess(long pid, Bitmap nodeset, MemoryPolicy policy, boolean migrate) {
        int number = Math.toIntExact(pid);
        int flags = PROCESS | BY_NODESET | (migrate ? MIGRATE : 0);
        set(
                "memory of process " + pid,
                nodeset,
                policy,
                (address, set) -> Calls.hwloc_set_proc_membind(address, number, set, policy.number, flags));
    }

    /** Pages of a direct buffer: those touched from now on, and with {@code migrate} all. */
    public void bind(ByteBuffer buffer, Bitmap nodeset, MemoryPolicy policy, boolean migrate) {
        int flags = BY_NODESET | (migrate ? MIGRATE : 0);
        long area = addressOf(buffer);
        set(
                "memory of a buffer",
                nodeset,
                policy,
                (address, set) ->
                        Calls.hwloc_set_area_membind(address, area, buffer.capacity(), set, policy.number, flags));
    }

    public Placement thread() {
        return get(
                "memory of this thread",
                (address, set, policy) -> Calls.hwloc_get_membind(address, set, policy, THREAD | BY_NODESET));
    }

    public Placement process() {
        return get(
                "memory of this process",
                (address, set, policy) -> Calls.hwloc_get_membind(address, set, policy, PROCESS | BY_NODESET));
    }

    public Placement of(ByteBuffer buffer) {
        long area = addressOf(buffer);
        return get(
                "memory of a buffer",
                (address, set, policy) ->
                        Calls.hwloc_get_area_membind(address, area, buffer.capacity(), set, policy, BY_NODESET));
    }

    /** Nodes that the pages of a direct buffer are on; pages that were never touched are on none. */
    public Bitmap location(ByteBuffer buffer) {
        long area = addressOf(buffer);
        return get(
                        "memory of a buffer",
                        (address, set, policy) ->
                                Calls.hwloc_get_area_memlocation(address, area, buffer.capacity(), set, BY_NODESET))
                .nodeset();
    }

    /** Up to 2 GiB of new memory, bound. */
    public Area allocate(int size, Bitmap nodeset, MemoryPolicy policy) {
        long[] made = new long[1];
        set("allocation of " + size + " bytes", nodeset, policy, (address, set) -> {
            made[0] = Calls.hwloc_alloc_membind(address, size, set, policy.number, BY_NODESET);
            return made[0] == 0 ? -1 : 0;
        });
        return new Area(made[0], size);
    }

    private interface Getting {
        int apply(long address, long set, int[] policy);
    }

    private void set(String what, Bitmap nodeset, MemoryPolicy policy, NativeSet.Call call) {
        checked(what);
        if (policy == MemoryPolicy.MIXED || nodeset.isEmpty()) {
            throw HwlocException.refused(
                    what,
                    "a policy and at least one NUMA node",
                    policy + " on " + nodeset.toList(),
                    "name nodes of " + topology.nodeset().toList());
        }
        try (NativeSet set = NativeSet.of(nodeset)) {
            topology.handle().read(address -> {
                if (call.apply(address, set.address) != 0) {
                    throw HwlocException.failed(
                            what + " to be " + policy + " on " + nodeset.toList(),
                            "name nodes of " + topology.allowedNodeset().toList() + ", and look at support()");
                }
                return null;
            });
        }
    }

    private Placement get(String what, Getting call) {
        checked(what);
        try (NativeSet set = NativeSet.empty()) {
            return topology.handle().read(address -> {
                int[] policy = new int[1];
                if (call.apply(address, set.address, policy) != 0) {
                    throw HwlocException.failed("the place of " + what, "look at support()");
                }
                return new Placement(set.read(), MemoryPolicy.of(policy[0]));
            });
        }
    }

    private static long addressOf(ByteBuffer buffer) {
        if (!buffer.isDirect() || buffer.capacity() == 0) {
            throw HwlocException.refused(
                    "memory binding",
                    "a direct buffer with at least one byte",
                    "another",
                    "allocate it with ByteBuffer.allocateDirect");
        }
        return RawMemory.addressOf(buffer);
    }

    private void checked(String what) {
        Caller.mustBeOnThisSystem(topology, what);
        Caller.mustBePlatformThread(what);
    }
}
