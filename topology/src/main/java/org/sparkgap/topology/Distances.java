// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How far objects are from each other: matrices of latency, bandwidth or hops, found by the system or given by you.
 *
 * <pre>{@code
 * for (Distances.Matrix matrix : topology.distances().list()) {
 *   System.out.println(matrix.name() + " " + matrix.kinds() + ": " + matrix.value(0, 1));
 * }
 * topology.distances().add("links", nodes, values, Set.of(Distances.Kind.FROM_USER, Distances.Kind.BANDWIDTH));
 * }</pre>
 */
public final class Distances {
    private static final int LARGEST = 1 << 12;

    /** Where values come from and what they mean. The order is that of hwloc's bits. */
    public enum Kind {
        FROM_OS,
        FROM_USER,
        LATENCY,
        BANDWIDTH,
        HETEROGENEOUS_TYPES,
        HOPS
    }

    /**
     * What hwloc can make of a matrix (2.5): without objects that are gone; links by their number; without switch
     * ports; over all ways.
     */
    public enum Transform {
        REMOVE_NULL,
        LINKS,
        MERGE_SWITCH_PORTS,
        TRANSITIVE_CLOSURE
    }

    /**
     * A matrix as it was read.
     *
     * @param name such as NUMALatency; null where it has none
     * @param values from the i-th to the j-th object, at i * objects + j
     */
    public record Matrix(String name, Set<Kind> kinds, List<TopologyObject> objects, List<Long> values) {
        public long value(int from, int to) {
            return values.get(from * objects.size() + to);
        }

        /** Empty where one of the two is not in it. */
        public Optional<Long> value(TopologyObject from, TopologyObject to) {
            int i = objects.indexOf(from);
            int j = objects.indexOf(to);
            return i < 0 || j < 0 ? Optional.empty() : Optional.of(value(i, j));
        }
    }

    private final Topology topology;

    Distances(Topology topology) {
        this.topology = topology;
    }

    /** All matrices. */
    public List<Matrix> list() {
        return list(null);
    }

    /** Those between objects of one type. */
    public List<Matrix> ofType(ObjectType type) {
        return list().stream()
                .filter(matrix -> matrix.objects().stream().allMatch(object -> object.type() == type))
                .toList();
    }

    public List<Matrix> named(String name) {
        return list().stream().filter(matrix -> name.equals(matrix.name())).toList();
    }

    /** All matrices, transformed; those that cannot be are left out. */
    public List<Matrix> transformed(Transform transform) {
        Hwloc.require(2, 5, "transformed distances");
        return list(transform);
    }

    /**
     * Adds a matrix.
     *
     * @param values from the i-th to the j-th object, at i * objects + j
     * @param kinds one of FROM_OS and FROM_USER, and one of LATENCY, BANDWIDTH and HOPS
     */
    public void add(String name, List<TopologyObject> objects, long[] values, Set<Kind> kinds) {
        if (objects.size() < 2 || objects.size() > LARGEST || values.length != objects.size() * objects.size()) {
            throw HwlocException.refused(
                    "distances",
                    "2 to " + LARGEST + " objects and a value for each pair",
                    objects.size() + " objects, " + values.length + " values",
                    "give a square matrix");
        }
        Hwloc.require(2, 5, "new distances");
        boolean plain = kinds.contains(Kind.FROM_OS) != kinds.contains(Kind.FROM_USER)
                && kinds.stream()
                                .filter(Set.of(Kind.LATENCY, Kind.BANDWIDTH, Kind.HOPS)::contains)
                                .count()
                        == 1;
        if (!plain) {
            throw HwlocException.refused(
                    "distances",
                    "one of FROM_OS and FROM_USER and one of LATENCY, BANDWIDTH and HOPS",
                    kinds.toString(),
                    "give both");
        }
        topology.handle().change(address -> {
            long[] pointers = objects.stream().mapToLong(topology::addressOf).toArray();
            long bits = kinds.stream()
                    .filter(kind -> kind != Kind.HETEROGENEOUS_TYPES)
                    .mapToLong(kind -> 1L << kind.ordinal())
                    .sum();
            long handle = DistanceCalls.hwloc_distances_add_create(address, name, bits, 0);
            boolean added = handle != 0
                    && DistanceCalls.hwloc_distances_add_values(address, handle, pointers.length, pointers, values, 0)
                            == 0
                    && DistanceCalls.hwloc_distances_add_commit(address, handle, 0) == 0;
            if (!added) {
                throw HwlocException.failed(
                        "distances of kinds " + kinds, "give objects that all have processors or all have none");
            }
            topology.readAgain(address);
            return null;
        });
    }

    /** Removes all matrices. */
    public void clear() {
        topology.handle().change(address -> {
            if (Calls.hwloc_distances_remove(address) != 0) {
                throw HwlocException.failed("hwloc_distances_remove", "look whether the topology can be changed");
            }
            return null;
        });
    }

    /** Removes those of this name. */
    public void remove(String name) {
        topology.handle().change(address -> {
            for (long matrix : all(address)) {
                if (name.equals(RawMemory.text(Calls.hwloc_distances_get_name(address, matrix)))) {
                    Calls.hwloc_distances_release_remove(address, matrix);
                } else {
                    Calls.hwloc_distances_release(address, matrix);
                }
            }
            return null;
        });
    }

    private List<Matrix> list(Transform transform) {
        // Reading updates hwloc's lists, which two threads may not do at once.
        return topology.handle().change(address -> {
            List<Matrix> matrices = new ArrayList<>();
            for (long matrix : all(address)) {
                if (transform == null
                        || isFor(transform, address, matrix)
                                && DistanceCalls.hwloc_distances_transform(address, matrix, transform.ordinal(), 0, 0)
                                        == 0) {
                    matrices.add(read(address, matrix));
                }
                Calls.hwloc_distances_release(address, matrix);
            }
            return List.copyOf(matrices);
        });
    }

    /** hwloc compares the name of a matrix, which may be none, with the only one that it has switches for. */
    private static boolean isFor(Transform transform, long address, long matrix) {
        boolean ofSwitches = transform == Transform.MERGE_SWITCH_PORTS || transform == Transform.TRANSITIVE_CLOSURE;
        return !ofSwitches || "NVLinkBandwidth".equals(RawMemory.text(Calls.hwloc_distances_get_name(address, matrix)));
    }

    private static long[] all(long address) {
        int[] count = new int[1];
        if (Calls.hwloc_distances_get(address, count, null, 0, 0) != 0) {
            throw HwlocException.failed("hwloc_distances_get", "load the topology again");
        }
        long[] found = new long[count[0]];
        if (found.length > 0) {
            Calls.hwloc_distances_get(address, count, found, 0, 0);
        }
        return found;
    }

    private Matrix read(long address, long distances) {
        ByteBuffer matrix = RawMemory.copy(distances, 32);
        int count = matrix.getInt(0);
        Set<Kind> kinds = EnumSet.noneOf(Kind.class);
        for (Kind kind : Kind.values()) {
            if ((matrix.getLong(16) >> kind.ordinal() & 1) != 0) {
                kinds.add(kind);
            }
        }
        List<TopologyObject> objects = new ArrayList<>();
        for (long object : RawMemory.words(matrix.getLong(8), count)) {
            if (object != 0) {
                objects.add(topology.objectAt(object));
            }
        }
        List<Long> values = new ArrayList<>();
        for (long value : RawMemory.words(matrix.getLong(24), count * count)) {
            values.add(value);
        }
        return new Matrix(
                RawMemory.text(Calls.hwloc_distances_get_name(address, distances)),
                Set.copyOf(kinds),
                List.copyOf(objects),
                List.copyOf(values));
    }
}
