// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How good memory is, by itself (capacity) or seen from some processors (bandwidth, latency). Since hwloc 2.3.
 *
 * <pre>{@code
 * MemoryAttributes memory = topology.memoryAttributes();
 * MemoryAttributes.Attribute bandwidth = memory.named("Bandwidth").get();
 * memory.bestTarget(bandwidth, core.cpuset());           // Optional: the node that is fastest from there, and how fast
 * memory.localNodes(core.cpuset());                      // NUMA nodes of exactly these processors or around them
 * }</pre>
 */
public final class MemoryAttributes {
    private static final long LARGER_LOCALITY = 1;
    private static final long SMALLER_LOCALITY = 2;
    private static final int CPUSET = 1;
    /** Capacity and locality, the first two, are read off the objects; hwloc asserts that nobody sets them. */
    private static final int COMPUTED = 2;

    private final Topology topology;

    MemoryAttributes(Topology topology) {
        Hwloc.require(2, 3, "memory attributes");
        this.topology = topology;
    }

    /** @param needsInitiator whether values are those seen from somewhere */
    public record Attribute(
            int id, String name, boolean higherIsBetter, boolean lowerIsBetter, boolean needsInitiator) {}

    /** A NUMA node, mostly, and its value. Capacity is in bytes, bandwidth in MiB/s, latency in nanoseconds. */
    public record Target(TopologyObject object, long value) {}

    /** Where a value was seen from: either of the two is null. */
    public record Initiator(Bitmap cpuset, TopologyObject object, long value) {}

    /** All that hwloc knows and all that were added, also those without values. */
    public List<Attribute> list() {
        return topology.handle().read(address -> {
            List<Attribute> found = new ArrayList<>();
            long[] name = new long[1];
            for (int id = 0; MemoryAttributeCalls.hwloc_memattr_get_name(address, id, name) == 0; id++) {
                long[] flags = new long[1];
                MemoryAttributeCalls.hwloc_memattr_get_flags(address, id, flags);
                found.add(new Attribute(
                        id, RawMemory.text(name[0]), (flags[0] & 1) != 0, (flags[0] & 2) != 0, (flags[0] & 4) != 0));
            }
            return List.copyOf(found);
        });
    }

    public Optional<Attribute> named(String name) {
        return list().stream()
                .filter(attribute -> attribute.name().equals(name))
                .findFirst();
    }

    /** Empty where no such value is known. {@code from} is null for attributes that are not seen from somewhere. */
    public Optional<Long> value(Attribute attribute, TopologyObject target, Bitmap from) {
        return at(attribute, from, (address, initiator) -> {
            long[] value = new long[1];
            int result = MemoryAttributeCalls.hwloc_memattr_get_value(
                    address, attribute.id(), addressOf(target), initiator, 0, value);
            return result == 0 ? Optional.of(value[0]) : Optional.empty();
        });
    }

    /** All that have a value, seen from {@code from}; null for from anywhere. */
    public List<Target> targets(Attribute attribute, Bitmap from) {
        return at(attribute, attribute.needsInitiator() ? from : null, (address, initiator) -> {
            int[] count = new int[1];
            check(
                    MemoryAttributeCalls.hwloc_memattr_get_targets(
                            address, attribute.id(), initiator, 0, count, null, null),
                    "targets of " + attribute.name());
            long[] objects = new long[count[0]];
            long[] values = new long[count[0]];
            check(
                    MemoryAttributeCalls.hwloc_memattr_get_targets(
                            address, attribute.id(), initiator, 0, count, objects, values),
                    "targets of " + attribute.name());
            List<Target> found = new ArrayList<>();
            for (int i = 0; i < objects.length; i++) {
                found.add(new Target(topology.objectAt(objects[i]), values[i]));
            }
            return List.copyOf(found);
        });
    }

    /** Where values of a node were seen from. */
    public List<Initiator> initiators(Attribute attribute, TopologyObject target) {
        return at(attribute, null, (address, nowhere) -> {
            int[] count = new int[1];
            long node = addressOf(target);
            if (MemoryAttributeCalls.hwloc_memattr_get_initiators(address, attribute.id(), node, 0, count, null, null)
                    != 0) {
                return List.of();
            }
            long[] locations = new long[2 * count[0]];
            long[] values = new long[count[0]];
            check(
                    MemoryAttributeCalls.hwloc_memattr_get_initiators(
                            address, attribute.id(), node, 0, count, locations, values),
                    "initiators of " + attribute.name());
            List<Initiator> found = new ArrayList<>();
            for (int i = 0; i < values.length; i++) {
                found.add(initiator(locations[2 * i], locations[2 * i + 1], values[i]));
            }
            return List.copyOf(found);
        });
    }

    /** The best node seen from there; empty where no value is known. */
    public Optional<Target> bestTarget(Attribute attribute, Bitmap from) {
        return at(attribute, from, (address, initiator) -> {
            long[] best = new long[1];
            long[] value = new long[1];
            int result = MemoryAttributeCalls.hwloc_memattr_get_best_target(
                    address, attribute.id(), initiator, 0, best, value);
            return result == 0 ? Optional.of(new Target(topology.objectAt(best[0]), value[0])) : Optional.empty();
        });
    }

    /** From where the node is best. */
    public Optional<Initiator> bestInitiator(Attribute attribute, TopologyObject target) {
        return at(attribute, null, (address, nowhere) -> {
            long[] best = new long[2];
            long[] value = new long[1];
            int result = MemoryAttributeCalls.hwloc_memattr_get_best_initiator(
                    address, attribute.id(), addressOf(target), 0, best, value);
            return result == 0 ? Optional.of(initiator(best[0], best[1], value[0])) : Optional.empty();
        });
    }

    /** NUMA nodes whose processors are these, or more, or fewer of them. */
    public List<TopologyObject> localNodes(Bitmap cpuset) {
        try (NativeSet set = NativeSet.of(cpuset)) {
            return topology.handle().change(address -> {
                long[] location = location(set.address);
                int[] count = new int[1];
                check(
                        MemoryAttributeCalls.hwloc_get_local_numanode_objs(
                                address, location, count, null, LARGER_LOCALITY | SMALLER_LOCALITY),
                        "local NUMA nodes");
                long[] nodes = new long[count[0]];
                check(
                        MemoryAttributeCalls.hwloc_get_local_numanode_objs(
                                address, location, count, nodes, LARGER_LOCALITY | SMALLER_LOCALITY),
                        "local NUMA nodes");
                List<TopologyObject> found = new ArrayList<>();
                for (long node : nodes) {
                    found.add(topology.objectAt(node));
                }
                return List.copyOf(found);
            });
        }
    }

    /** A new attribute, without values. */
    public Attribute add(String name, boolean higherIsBetter, boolean needsInitiator) {
        topology.givenMemoryAttributes();
        topology.handle().change(address -> {
            check(
                    MemoryAttributeCalls.hwloc_memattr_register(
                            address, name, (higherIsBetter ? 1 : 2) | (needsInitiator ? 4 : 0), new int[1]),
                    "attribute " + name);
            return null;
        });
        return named(name).orElseThrow();
    }

    public void set(Attribute attribute, TopologyObject target, Bitmap from, long value) {
        if (attribute.needsInitiator() != (from != null)) {
            throw HwlocException.refused(
                    "memory attributes",
                    attribute.needsInitiator()
                            ? "processors that it is seen from"
                            : "no processors that it is seen from",
                    from == null ? "none" : from.toList(),
                    "look at needsInitiator()");
        }
        topology.givenMemoryAttributes();
        if (attribute.id() < COMPUTED) {
            throw HwlocException.refused(
                    "memory attributes", "an attribute that can be set", attribute.name(), "set another");
        }
        this.<Void>at(attribute, from, (address, initiator) -> {
            check(
                    MemoryAttributeCalls.hwloc_memattr_set_value(
                            address, attribute.id(), addressOf(target), initiator, 0, value),
                    attribute.name() + " of " + target);
            return null;
        });
    }

    /** hwloc reads the sets of a target without looking whether it has some. */
    private long addressOf(TopologyObject target) {
        if (target.cpuset() == null) {
            throw HwlocException.refused(
                    "memory attributes",
                    "a NUMA node or another object with processors",
                    target.toString(),
                    "name one");
        }
        return topology.addressOf(target);
    }

    private interface Seen<T> {
        T from(long address, long[] initiator);
    }

    /** Values are brought up to date by hwloc when they are read, so reading excludes other readers. */
    private <T> T at(Attribute attribute, Bitmap from, Seen<T> call) {
        if (from == null) {
            return topology.handle().change(address -> call.from(address, null));
        }
        try (NativeSet set = NativeSet.of(from)) {
            return topology.handle()
                    .change(address -> call.from(address, attribute.needsInitiator() ? location(set.address) : null));
        }
    }

    private Initiator initiator(long kind, long pointer, long value) {
        int type = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? (int) kind : (int) (kind >>> 32);
        return type == CPUSET
                ? new Initiator(NativeSet.read(pointer), null, value)
                : new Initiator(null, topology.objectAt(pointer), value);
    }

    private static long[] location(long set) {
        return new long[] {ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? CPUSET : (long) CPUSET << 32, set};
    }

    private static void check(int result, String what) {
        if (result != 0) {
            throw HwlocException.failed(what, "look at list() for what there is");
        }
    }
}
