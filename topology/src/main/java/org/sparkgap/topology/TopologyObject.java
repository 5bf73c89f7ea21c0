// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A part of the machine as it was when the topology was loaded or last changed. Plain Java data: it outlives its
 * topology.
 *
 * <pre>{@code
 * TopologyObject core = topology.objects(ObjectType.CORE).get(0);
 * core.cpuset();                                  // its PUs
 * core.ancestor(ObjectType.PACKAGE);              // where it is
 * core.descendants(ObjectType.PU).toList();
 * topology.root().info("DMIProductName");         // Optional[...]
 * }</pre>
 */
public final class TopologyObject {
    /** Something that hwloc found out about an object, such as CPUModel; names can repeat. */
    public record Info(String name, String value) {}

    final long address;
    private final ObjectType type;
    private final String subtype;
    private final String name;
    private final int depth;
    private final int logicalIndex;
    private final int osIndex;
    private final long gpIndex;
    private final long totalMemory;
    private final boolean symmetric;
    private final ObjectAttributes attributes;
    private final List<Info> infos;
    private final Bitmap cpuset;
    private final Bitmap completeCpuset;
    private final Bitmap nodeset;
    private final Bitmap completeNodeset;
    private final TopologyObject parent;
    private List<TopologyObject> children = List.of();
    private List<TopologyObject> memoryChildren = List.of();
    private List<TopologyObject> ioChildren = List.of();
    private List<TopologyObject> miscChildren = List.of();

    TopologyObject(ObjectFields fields, TopologyObject parent) {
        this.parent = parent;
        address = fields.address();
        type = fields.type();
        subtype = fields.subtype();
        name = fields.name();
        depth = fields.depth();
        logicalIndex = fields.logicalIndex();
        osIndex = fields.osIndex();
        gpIndex = fields.gpIndex();
        totalMemory = fields.totalMemory();
        symmetric = fields.symmetric();
        attributes = fields.attributes();
        infos = fields.infos();
        cpuset = fields.cpuset();
        completeCpuset = fields.completeCpuset();
        nodeset = fields.nodeset();
        completeNodeset = fields.completeNodeset();
    }

    void adopt(
            List<TopologyObject> normal,
            List<TopologyObject> memory,
            List<TopologyObject> io,
            List<TopologyObject> misc) {
        children = List.copyOf(normal);
        memoryChildren = List.copyOf(memory);
        ioChildren = List.copyOf(io);
        miscChildren = List.copyOf(misc);
    }

    public ObjectType type() {
        return type;
    }

    /** A more specific type, such as MCDRAM or NVLink; null if there is none. */
    public String subtype() {
        return subtype;
    }

    /** Such as eth0; null where there is none. */
    public String name() {
        return name;
    }

    /**
     * 0 at the root, downwards; -3 to -8 for NUMA nodes, bridges, PCI devices, OS devices, Misc and memory-side caches.
     */
    public int depth() {
        return depth;
    }

    /** Among all objects of its depth, from 0, left to right. */
    public int logicalIndex() {
        return logicalIndex;
    }

    /** The system's number; -1 where it has none. Unique among PUs and among NUMA nodes only. */
    public int osIndex() {
        return osIndex;
    }

    /** Unique in the topology, and kept when that changes. */
    public long gpIndex() {
        return gpIndex;
    }

    /** Bytes of all NUMA nodes below. */
    public long totalMemory() {
        return totalMemory;
    }

    /** Whether all normal children have equal trees below them. */
    public boolean isSymmetric() {
        return symmetric;
    }

    public ObjectAttributes attributes() {
        return attributes;
    }

    public List<Info> infos() {
        return infos;
    }

    /** The first one of this name. */
    public Optional<String> info(String infoName) {
        return infos.stream()
                .filter(info -> info.name().equals(infoName))
                .map(Info::value)
                .findFirst();
    }

    /** PUs below; null for I/O and Misc, which are near to what their {@link #nonIoAncestor} has. */
    public Bitmap cpuset() {
        return cpuset;
    }

    /** With those that are offline, forbidden, or not known well enough to be objects. */
    public Bitmap completeCpuset() {
        return completeCpuset;
    }

    /** NUMA nodes below or around, by the system's number; null for I/O and Misc. */
    public Bitmap nodeset() {
        return nodeset;
    }

    public Bitmap completeNodeset() {
        return completeNodeset;
    }

    /** Null at the root. */
    public TopologyObject parent() {
        return parent;
    }

    public List<TopologyObject> children() {
        return children;
    }

    public List<TopologyObject> memoryChildren() {
        return memoryChildren;
    }

    public List<TopologyObject> ioChildren() {
        return ioChildren;
    }

    public List<TopologyObject> miscChildren() {
        return miscChildren;
    }

    /** From the parent up to the root. */
    public Stream<TopologyObject> ancestors() {
        return Stream.iterate(parent, object -> object != null, TopologyObject::parent);
    }

    public Optional<TopologyObject> ancestor(ObjectType wanted) {
        return ancestors().filter(object -> object.type == wanted).findFirst();
    }

    public Optional<TopologyObject> ancestorAtDepth(int wanted) {
        return ancestors().filter(object -> object.depth == wanted).findFirst();
    }

    /** The closest that has sets: this one, unless it is I/O or Misc. */
    public TopologyObject nonIoAncestor() {
        return cpuset != null ? this : parent.nonIoAncestor();
    }

    /** The deepest that both are below; one of the two where the other is below it. */
    public TopologyObject commonAncestor(TopologyObject other) {
        List<TopologyObject> mine = new ArrayList<>(List.of(this));
        ancestors().forEach(mine::add);
        return Stream.concat(Stream.of(other), other.ancestors())
                .filter(mine::contains)
                .findFirst()
                .orElseThrow(() -> HwlocException.refused(
                        "common ancestor",
                        "two objects of one topology",
                        "two that share no root",
                        "take both from the same topology"));
    }

    public boolean isBelow(TopologyObject other) {
        return ancestors().anyMatch(object -> object == other);
    }

    /** The smallest data or unified cache that this shares with something else. */
    public Optional<TopologyObject> sharedCache() {
        return cpuset == null
                ? Optional.empty()
                : ancestors()
                        .filter(object -> object.type.isDataCache() && !object.cpuset.equals(cpuset))
                        .findFirst();
    }

    /** All below, of any kind: each one's memory, normal, I/O and Misc children, depth first. */
    public Stream<TopologyObject> descendants() {
        return Stream.of(memoryChildren, children, ioChildren, miscChildren)
                .flatMap(List::stream)
                .flatMap(child -> Stream.concat(Stream.of(child), child.descendants()));
    }

    public Stream<TopologyObject> descendants(ObjectType wanted) {
        return descendants().filter(object -> object.type == wanted);
    }

    /** Such as {@code L2Cache#3 (4-5)}. */
    @Override
    public String toString() {
        return type.hwlocName() + "#" + logicalIndex + (name == null ? "" : " " + name)
                + (cpuset == null ? "" : " (" + cpuset.toList() + ")");
    }
}
