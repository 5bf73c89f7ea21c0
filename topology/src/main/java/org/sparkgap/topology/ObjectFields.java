// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * struct hwloc_obj, read. Its common fields are at the same place in hwloc 2 and 3; what depends on the version is in
 * {@link AttributeLayout}.
 */
record ObjectFields(
        long address,
        ObjectType type,
        String subtype,
        int osIndex,
        String name,
        long totalMemory,
        ObjectAttributes attributes,
        int depth,
        int logicalIndex,
        boolean symmetric,
        Bitmap cpuset,
        Bitmap completeCpuset,
        Bitmap nodeset,
        Bitmap completeNodeset,
        List<TopologyObject.Info> infos,
        long gpIndex,
        long nextSibling,
        long firstChild,
        long firstMemoryChild,
        long firstIoChild,
        long firstMiscChild) {
    private static final int SIZE = 248;
    private static final int NEXT_SIBLING = 88;
    private static final int INFO_SIZE = 16;

    static ObjectFields read(long address) {
        ByteBuffer object = RawMemory.copy(address, SIZE);
        ObjectType type = AttributeLayout.type(object.getInt(0));
        return new ObjectFields(
                address,
                type,
                RawMemory.text(object.getLong(8)),
                object.getInt(16),
                RawMemory.text(object.getLong(24)),
                object.getLong(32),
                AttributeLayout.read(type, object.getLong(40)),
                object.getInt(48),
                object.getInt(52),
                object.getInt(136) != 0,
                NativeSet.read(object.getLong(184)),
                NativeSet.read(object.getLong(192)),
                NativeSet.read(object.getLong(200)),
                NativeSet.read(object.getLong(208)),
                infos(object.getLong(216), object.getInt(224)),
                object.getLong(240),
                object.getLong(NEXT_SIBLING),
                object.getLong(120),
                object.getLong(144),
                object.getLong(160),
                object.getLong(176));
    }

    /** hwloc 3 keeps what it knows of the whole machine beside the root rather than in it. */
    static ObjectFields readRoot(long topology) {
        ObjectFields root = read(Calls.hwloc_get_obj_by_depth(topology, 0, 0));
        if (Hwloc.major() < 3) {
            return root;
        }
        List<TopologyObject.Info> all = new ArrayList<>(root.infos);
        all.addAll(infos(Calls3.hwloc_topology_get_infos(topology)));
        return new ObjectFields(
                root.address,
                root.type,
                root.subtype,
                root.osIndex,
                root.name,
                root.totalMemory,
                root.attributes,
                root.depth,
                root.logicalIndex,
                root.symmetric,
                root.cpuset,
                root.completeCpuset,
                root.nodeset,
                root.completeNodeset,
                List.copyOf(all),
                root.gpIndex,
                root.nextSibling,
                root.firstChild,
                root.firstMemoryChild,
                root.firstIoChild,
                root.firstMiscChild);
    }

    /** A struct hwloc_infos_s of hwloc 3. */
    static List<TopologyObject.Info> infos(long struct) {
        ByteBuffer array = RawMemory.copy(struct, 12);
        return infos(array.getLong(0), array.getInt(8));
    }

    /** An array of struct hwloc_info_s, pairs of texts. */
    static List<TopologyObject.Info> infos(long array, int count) {
        List<TopologyObject.Info> infos = new ArrayList<>(count);
        long[] texts = RawMemory.words(array, count * INFO_SIZE / Long.BYTES);
        for (int i = 0; i < texts.length; i += 2) {
            infos.add(new TopologyObject.Info(RawMemory.text(texts[i]), RawMemory.text(texts[i + 1])));
        }
        return List.copyOf(infos);
    }
}
