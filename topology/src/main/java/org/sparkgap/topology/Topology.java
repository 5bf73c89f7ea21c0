// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A machine, this one or another: its objects, and what can be asked and done about them.
 *
 * <pre>{@code
 * try (Topology topology = Topology.load()) {
 *   for (TopologyObject core : topology.objects(ObjectType.CORE)) {
 *     System.out.println(core + " in " + core.ancestor(ObjectType.PACKAGE));
 *   }
 *   topology.cpuBinding().bindThread(topology.object(ObjectType.CORE, 0).cpuset());
 * }
 * try (Topology other = Topology.builder().synthetic("pack:2 [numa] l3:1 core:8 pu:2").load()) { ... }
 * }</pre>
 *
 * <p>Objects are Java's own and stay readable after {@link #close()}; everything else needs an open topology. Safe
 * between threads. Loading takes 10 to 50 milliseconds: load once and keep it. All that fails throws
 * {@link HwlocException}.
 */
public final class Topology implements AutoCloseable {
    private final NativeTopology handle;
    private final boolean thisSystem;
    private volatile ObjectTree tree;
    private volatile boolean asLoaded = true;
    private volatile boolean hasNewValues;

    Topology(long address) {
        handle = new NativeTopology(address);
        thisSystem = Calls.hwloc_topology_is_thissystem(address) == 1;
        tree = new ObjectTree(address);
    }

    /**
     * This machine, as far as this process may use it: without I/O devices and instruction caches, as hwloc's default
     * is.
     */
    public static Topology load() {
        return builder().load();
    }

    public static TopologyBuilder builder() {
        return new TopologyBuilder();
    }

    /** The machine. */
    public TopologyObject root() {
        return tree.root;
    }

    /** Levels of the tree from the machine to the PUs. */
    public int depth() {
        return tree.depth();
    }

    /** All of a type, left to right; empty where there is none. */
    public List<TopologyObject> objects(ObjectType type) {
        return tree.objects(type);
    }

    /** Depths from 0 to {@link #depth()} - 1, and the negative ones of {@link TopologyObject#depth()}. */
    public List<TopologyObject> objectsAtDepth(int depth) {
        return tree.atDepth(depth);
    }

    /** The one with this logical index. */
    public TopologyObject object(ObjectType type, int logicalIndex) {
        List<TopologyObject> all = objects(type);
        if (logicalIndex < 0 || logicalIndex >= all.size()) {
            throw HwlocException.refused(
                    "topology",
                    "a " + type.hwlocName() + " below " + all.size(),
                    "number " + logicalIndex,
                    "name one that the machine has");
        }
        return all.get(logicalIndex);
    }

    public Stream<TopologyObject> all() {
        return Stream.concat(Stream.of(root()), root().descendants());
    }

    /** By the system's number. */
    public Optional<TopologyObject> pu(int osIndex) {
        return Optional.ofNullable(tree.pu(osIndex));
    }

    /** By the system's number. */
    public Optional<TopologyObject> numaNode(int osIndex) {
        return Optional.ofNullable(tree.numaNode(osIndex));
    }

    /** The PUs that are objects here. */
    public Bitmap cpuset() {
        return root().cpuset();
    }

    /**
     * The PUs that this process may use as far as its control group says. A mask of taskset is not seen: see
     * {@link ProcessLimits}.
     */
    public Bitmap allowedCpuset() {
        return tree.allowedCpuset;
    }

    public Bitmap nodeset() {
        return root().nodeset();
    }

    public Bitmap allowedNodeset() {
        return tree.allowedNodeset;
    }

    /**
     * Whether it is of the machine that we run on: binding is refused otherwise, as hwloc would say that it worked and
     * bind nothing.
     */
    public boolean isThisSystem() {
        return thisSystem;
    }

    public Set<TopologyFlag> flags() {
        return handle.read(address -> TopologyFlag.of(Calls.hwloc_topology_get_flags(address)));
    }

    /** What of hwloc works here. */
    public Support support() {
        return handle.read(Support::read);
    }

    /** Which objects have, are in, or are near to a set. */
    public Coverage coverage() {
        return new Coverage(tree);
    }

    public CpuBinding cpuBinding() {
        return new CpuBinding(this);
    }

    public MemoryBinding memoryBinding() {
        return new MemoryBinding(this);
    }

    public Distances distances() {
        return new Distances(this);
    }

    public MemoryAttributes memoryAttributes() {
        return new MemoryAttributes(this);
    }

    public CpuKinds cpuKinds() {
        return new CpuKinds(this);
    }

    /** Makes it smaller, or adds to it. */
    public TopologyChange change() {
        return new TopologyChange(this);
    }

    /** As XML or as a synthetic description. */
    public TopologyExport export() {
        return new TopologyExport(this);
    }

    /** A second one that can be changed on its own. Before the first is restricted or given memory attributes. */
    public Topology copy() {
        if (!asLoaded || hasNewValues) {
            // hwloc would share with the copy what both free.
            throw HwlocException.refused(
                    "copy",
                    "a topology as it was loaded",
                    "one that was copied, restricted or given memory attributes",
                    "copy it first, or load its XML");
        }
        return handle.read(address -> {
            long[] made = new long[1];
            if (Calls.hwloc_topology_dup(made, address) != 0) {
                throw HwlocException.failed("hwloc_topology_dup", "give the process more memory");
            }
            Topology copy = new Topology(made[0]);
            copy.asLoaded = false;
            return copy;
        });
    }

    /** Frees what hwloc holds. A second close does nothing. */
    @Override
    public void close() {
        handle.close();
    }

    NativeTopology handle() {
        return handle;
    }

    ObjectTree tree() {
        return tree;
    }

    /**
     * hwloc's pointer of an object, to be used under the lock of {@link #handle()}; also of one that was read before a
     * change.
     */
    long addressOf(TopologyObject object) {
        TopologyObject now = tree.numbered(object.gpIndex());
        if (now == null || now.type() != object.type()) {
            throw HwlocException.refused(
                    "topology",
                    "an object of this topology",
                    object + ", which is of another or was removed",
                    "take it from this topology");
        }
        return now.address;
    }

    TopologyObject objectAt(long address) {
        return address == 0 ? null : tree.at(address);
    }

    /** Neither a copy nor restricted. */
    boolean isAsLoaded() {
        return asLoaded;
    }

    void givenMemoryAttributes() {
        hasNewValues = true;
    }

    void restricted() {
        asLoaded = false;
    }

    /** Under the lock of a change. */
    void readAgain(long address) {
        tree = new ObjectTree(address);
    }
}
