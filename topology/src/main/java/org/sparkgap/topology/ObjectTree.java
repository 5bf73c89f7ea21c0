// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All objects of a topology at one time, read in one walk from the root, and the ways to find one. */
final class ObjectTree {
    final TopologyObject root;
    final Bitmap allowedCpuset;
    final Bitmap allowedNodeset;
    private final Map<Integer, List<TopologyObject>> byDepth = new TreeMap<>();
    private final Map<ObjectType, List<TopologyObject>> byType = new EnumMap<>(ObjectType.class);
    private final Map<Long, TopologyObject> byAddress = new HashMap<>();
    private final Map<Long, TopologyObject> byNumber = new HashMap<>();
    private final Map<Integer, TopologyObject> pus = new HashMap<>();
    private final Map<Integer, TopologyObject> numaNodes = new HashMap<>();

    ObjectTree(long topology) {
        allowedCpuset = NativeSet.read(Calls.hwloc_topology_get_allowed_cpuset(topology));
        allowedNodeset = NativeSet.read(Calls.hwloc_topology_get_allowed_nodeset(topology));
        root = read(ObjectFields.readRoot(topology), null);
        byDepth.values().forEach(level -> level.sort(Comparator.comparingInt(TopologyObject::logicalIndex)));
        // Groups alone can stand at several depths: those nearer to the root come first.
        byDepth.forEach((depth, level) -> byType.computeIfAbsent(level.get(0).type(), type -> new ArrayList<>())
                .addAll(level));
        byDepth.replaceAll((depth, level) -> List.copyOf(level));
        byType.replaceAll((type, objects) -> List.copyOf(objects));
        objects(ObjectType.PU).forEach(pu -> pus.put(pu.osIndex(), pu));
        objects(ObjectType.NUMANODE).forEach(node -> numaNodes.put(node.osIndex(), node));
    }

    List<TopologyObject> objects(ObjectType type) {
        return byType.getOrDefault(type, List.of());
    }

    List<TopologyObject> atDepth(int depth) {
        return byDepth.getOrDefault(depth, List.of());
    }

    /** Levels of the tree of processors. */
    int depth() {
        return (int) byDepth.keySet().stream().filter(depth -> depth >= 0).count();
    }

    TopologyObject pu(int osIndex) {
        return pus.get(osIndex);
    }

    TopologyObject numaNode(int osIndex) {
        return numaNodes.get(osIndex);
    }

    TopologyObject at(long address) {
        return byAddress.get(address);
    }

    TopologyObject numbered(long gpIndex) {
        return byNumber.get(gpIndex);
    }

    private TopologyObject read(ObjectFields fields, TopologyObject parent) {
        TopologyObject object = new TopologyObject(fields, parent);
        byDepth.computeIfAbsent(object.depth(), depth -> new ArrayList<>()).add(object);
        byAddress.put(object.address, object);
        byNumber.put(object.gpIndex(), object);
        object.adopt(
                siblings(fields.firstChild(), object),
                siblings(fields.firstMemoryChild(), object),
                siblings(fields.firstIoChild(), object),
                siblings(fields.firstMiscChild(), object));
        return object;
    }

    private List<TopologyObject> siblings(long first, TopologyObject parent) {
        List<TopologyObject> children = new ArrayList<>();
        for (long next = first; next != 0; ) {
            ObjectFields fields = ObjectFields.read(next);
            children.add(read(fields, parent));
            next = fields.nextSibling();
        }
        return children;
    }
}
