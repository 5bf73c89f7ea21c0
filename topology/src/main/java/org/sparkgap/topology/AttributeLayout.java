// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.sparkgap.topology.ObjectAttributes.CacheType;
import org.sparkgap.topology.ObjectAttributes.OsDeviceType;

/**
 * The parts of an object that differ between the versions of hwloc: the numbers of the types, and union
 * hwloc_obj_attr_u.
 *
 * <p>hwloc 3 moved fields between its pre-releases, all of which call themselves 3.0, so the place of a cache's fields
 * is found by looking at a cache that is known: a wrong guess would show wrong machines, or read pointers that are
 * none.
 */
final class AttributeLayout {
    private static final int LARGEST = 48;
    private static final int TYPES = 20;
    private static final boolean VERSION_3 = Hwloc.major() >= 3;
    private static final boolean CACHE_TYPE_FIRST = VERSION_3 && cacheTypeIsFirst();
    private static final ObjectType[] BY_NUMBER = typesByNumber();
    private static final int[] NUMBERS = numbers();
    private static final ObjectAttributes.None NONE = new ObjectAttributes.None();
    private static final OsDeviceType[] DEVICES_2 = {
        OsDeviceType.STORAGE,
        OsDeviceType.GPU,
        OsDeviceType.NETWORK,
        OsDeviceType.OPENFABRICS,
        OsDeviceType.DMA,
        OsDeviceType.COPROCESSOR
    };
    private static final OsDeviceType[] DEVICES_3 = {
        OsDeviceType.STORAGE,
        OsDeviceType.MEMORY,
        OsDeviceType.GPU,
        OsDeviceType.COPROCESSOR,
        OsDeviceType.NETWORK,
        OsDeviceType.OPENFABRICS,
        OsDeviceType.DMA
    };

    private AttributeLayout() {}

    static ObjectType type(int number) {
        return BY_NUMBER[number];
    }

    static int number(ObjectType type) {
        return NUMBERS[type.ordinal()];
    }

    static ObjectAttributes read(ObjectType type, long address) {
        if (address == 0) {
            return NONE;
        }
        ByteBuffer union = RawMemory.copy(address, VERSION_3 ? LARGEST : 40);
        if (type.isCache() || type == ObjectType.MEMCACHE) {
            int rest = CACHE_TYPE_FIRST ? 12 : 8;
            return new ObjectAttributes.Cache(
                    union.getLong(0),
                    union.getInt(rest),
                    union.getInt(rest + 4),
                    union.getInt(rest + 8),
                    CacheType.values()[union.getInt(CACHE_TYPE_FIRST ? 8 : 20)]);
        }
        return switch (type) {
            case NUMANODE -> new ObjectAttributes.NumaNode(
                    union.getLong(0), CACHE_TYPE_FIRST ? List.of() : pageTypes(union.getLong(16), union.getInt(8)));
            case GROUP -> new ObjectAttributes.Group(union.getInt(0), union.getInt(4), union.getInt(8));
            case PCI_DEVICE -> pci(union);
            case BRIDGE -> bridge(union);
            case OS_DEVICE -> new ObjectAttributes.OsDevice(devices(union.getInt(0)));
            default -> NONE;
        };
    }

    private static List<ObjectAttributes.PageType> pageTypes(long array, int count) {
        List<ObjectAttributes.PageType> types = new ArrayList<>(count);
        long[] pairs = RawMemory.words(array, 2 * count);
        for (int i = 0; i < pairs.length; i += 2) {
            types.add(new ObjectAttributes.PageType(pairs[i], pairs[i + 1]));
        }
        return List.copyOf(types);
    }

    private static ObjectAttributes.Pci pci(ByteBuffer union) {
        int bus = VERSION_3 ? 4 : 2;
        int ids = VERSION_3 ? 8 : 6;
        return new ObjectAttributes.Pci(
                VERSION_3 ? union.getInt(0) : small(union, 0),
                tiny(union, bus),
                tiny(union, bus + 1),
                tiny(union, bus + 2),
                small(union, ids),
                small(union, ids + 2),
                small(union, ids + 4),
                small(union, ids + 6),
                small(union, ids + 8),
                tiny(union, ids + 10),
                union.getFloat(20));
    }

    private static ObjectAttributes.Bridge bridge(ByteBuffer union) {
        boolean ofPci = union.getInt(24) == 1;
        int buses = VERSION_3 ? 32 : 30;
        return new ObjectAttributes.Bridge(
                ofPci ? pci(union) : null,
                VERSION_3 ? union.getInt(28) : small(union, 28),
                tiny(union, buses),
                tiny(union, buses + 1),
                union.getInt(VERSION_3 ? 40 : 36));
    }

    private static Set<OsDeviceType> devices(int number) {
        Set<OsDeviceType> types = EnumSet.noneOf(OsDeviceType.class);
        if (!VERSION_3) {
            types.add(DEVICES_2[number]);
        } else {
            for (int i = 0; i < DEVICES_3.length; i++) {
                if ((number >> i & 1) != 0) {
                    types.add(DEVICES_3[i]);
                }
            }
        }
        return Set.copyOf(types);
    }

    /** The reverse: as hwloc's XML has it. */
    static int number(Set<OsDeviceType> types) {
        return VERSION_3
                ? types.stream()
                        .mapToInt(type -> 1 << List.of(DEVICES_3).indexOf(type))
                        .sum()
                : List.of(DEVICES_2).indexOf(types.iterator().next());
    }

    private static int small(ByteBuffer union, int offset) {
        return Short.toUnsignedInt(union.getShort(offset));
    }

    private static int tiny(ByteBuffer union, int offset) {
        return Byte.toUnsignedInt(union.get(offset));
    }

    private static ObjectType[] typesByNumber() {
        ObjectType[] types = new ObjectType[TYPES];
        for (int number = 0; number < TYPES; number++) {
            types[number] = ObjectType.named(RawMemory.text(Calls.hwloc_obj_type_string(number)));
        }
        return types;
    }

    private static int[] numbers() {
        int[] numbers = new int[ObjectType.values().length];
        for (int number = 0; number < TYPES; number++) {
            numbers[BY_NUMBER[number].ordinal()] = number;
        }
        return numbers;
    }

    /** In the older layout the depth follows the size, in the newer one the type, which is 0 in a unified cache. */
    private static boolean cacheTypeIsFirst() {
        long[] made = new long[1];
        Calls.hwloc_topology_init(made);
        try {
            int level = 2;
            if (Calls.hwloc_topology_set_synthetic(made[0], "L2:2 pu:1") != 0
                    || Calls.hwloc_topology_load(made[0]) != 0) {
                throw HwlocException.failed("a synthetic topology", "name another libhwloc by -D" + Hwloc.PROPERTY);
            }
            for (int depth = 0; depth < Calls.hwloc_topology_get_depth(made[0]); depth++) {
                long object = Calls.hwloc_get_obj_by_depth(made[0], depth, 0);
                if ("L2Cache"
                        .equals(RawMemory.text(Calls.hwloc_obj_type_string(
                                RawMemory.copy(object, 4).getInt(0))))) {
                    ByteBuffer cache = RawMemory.copy(RawMemory.copy(object, 48).getLong(40), 24);
                    if (cache.getInt(8) == level || cache.getInt(12) == level) {
                        return cache.getInt(12) == level;
                    }
                }
            }
            throw HwlocException.refused(
                    "hwloc",
                    "a layout of objects that is known",
                    "another in version " + Hwloc.version(),
                    "use a release of hwloc 2, or tell us");
        } finally {
            Calls.hwloc_topology_destroy(made[0]);
        }
    }
}
