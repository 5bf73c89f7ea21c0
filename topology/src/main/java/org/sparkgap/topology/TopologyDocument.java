// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A topology as maps and lists, for JSON: every object with what hwloc's XML says of it, under the XML's names and in
 * its values. docs/topology.md has the form.
 *
 * <p>Objects stand in the order of a walk from the root, and are named by their place in it.
 */
final class TopologyDocument {
    private final Topology topology;
    private final List<TopologyObject> objects = new ArrayList<>();
    private final Map<TopologyObject, Integer> places = new IdentityHashMap<>();

    private TopologyDocument(Topology topology) {
        this.topology = topology;
        Deque<TopologyObject> left = new ArrayDeque<>(List.of(topology.root()));
        while (!left.isEmpty()) {
            TopologyObject object = left.pop();
            places.put(object, objects.size());
            objects.add(object);
            List<TopologyObject> below = new ArrayList<>(object.memoryChildren());
            below.addAll(object.children());
            below.addAll(object.ioChildren());
            below.addAll(object.miscChildren());
            for (int i = below.size() - 1; i >= 0; i--) {
                left.push(below.get(i));
            }
        }
    }

    /** Values can be read once, while the topology is open. */
    static Map<String, Object> of(Topology topology) {
        TopologyDocument document = new TopologyDocument(topology);
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("hwloc", Hwloc.version());
        all.put("process", topology.isThisSystem() ? document.process() : null);
        all.put("objects", (Iterable<Object>)
                () -> document.objects.stream().map(document::object).iterator());
        all.put(
                "distances",
                topology.distances().list().stream().map(document::matrix).toList());
        all.put(
                "memory_attributes",
                Hwloc.isAtLeast(2, 3)
                        ? topology.memoryAttributes().list().stream()
                                .map(document::memoryAttribute)
                                .toList()
                        : List.of());
        all.put(
                "cpukinds",
                Hwloc.isAtLeast(2, 4)
                        ? topology.cpuKinds().list().stream()
                                .map(TopologyDocument::kind)
                                .toList()
                        : List.of());
        return all;
    }

    /** The PUs that this process may use, each limit on its own, and all together. */
    static Bitmap usable(Topology topology, ProcessLimits limits) {
        return topology.allowedCpuset().and(mask(limits));
    }

    private static Bitmap mask(ProcessLimits limits) {
        return Bitmap.of(
                limits.allowedCpus().cpus().stream().mapToInt(Integer::intValue).toArray());
    }

    private Object process() {
        ProcessLimits limits = ProcessLimits.read();
        Map<String, Object> process = new LinkedHashMap<>();
        process.put("usable_cpuset", usable(topology, limits));
        process.put("affinity_mask", mask(limits));
        process.put("cgroup_cpuset", topology.allowedCpuset());
        process.put("cgroup_nodeset", topology.allowedNodeset());
        process.put("cgroup_cpu_quota", Double.isInfinite(limits.cpuQuota()) ? null : limits.cpuQuota());
        process.put("usable_memory", limits.memoryBytes());
        return process;
    }

    private Object object(TopologyObject object) {
        Map<String, Object> said = new LinkedHashMap<>();
        said.put("type", object.type().hwlocName());
        said.put("depth", object.depth());
        said.put("logical_index", object.logicalIndex());
        said.put("os_index", object.osIndex() < 0 ? null : object.osIndex());
        said.put("cpuset", object.cpuset());
        said.put("nodeset", object.nodeset());
        said.put("complete_cpuset", object.completeCpuset());
        said.put("attributes", attributes(object));
        said.put("infos", infos(object.infos()));
        said.put("parent", places.get(object.parent()));
        return said;
    }

    private Object attributes(TopologyObject object) {
        Map<String, Object> said = new LinkedHashMap<>();
        said.put("name", object.name());
        said.put("subtype", object.subtype());
        said.put("gp_index", object.gpIndex());
        said.put("complete_nodeset", object.completeNodeset());
        if (object == topology.root()) {
            said.put("allowed_cpuset", topology.allowedCpuset());
            said.put("allowed_nodeset", topology.allowedNodeset());
        }
        ObjectAttributes own = object.attributes();
        if (own instanceof ObjectAttributes.Cache cache) {
            said.put("cache_size", cache.size());
            said.put("depth", cache.depth());
            said.put("cache_linesize", cache.lineSize());
            said.put("cache_associativity", cache.associativity());
            said.put("cache_type", cache.type().ordinal());
        } else if (own instanceof ObjectAttributes.NumaNode node) {
            said.put("local_memory", node.localMemory());
            said.put(
                    "page_types",
                    node.pageTypes().stream()
                            .map(page -> Map.of("size", page.size(), "count", page.count()))
                            .toList());
        } else if (own instanceof ObjectAttributes.Group group) {
            said.put("kind", group.kind());
            said.put("subkind", group.subkind());
        } else if (own instanceof ObjectAttributes.Pci pci) {
            pci(pci, said);
        } else if (own instanceof ObjectAttributes.Bridge bridge) {
            said.put("bridge_type", bridge.upstream() == null ? "0-1" : "1-1");
            said.put("depth", bridge.depth());
            said.put(
                    "bridge_pci",
                    String.format("%04x:[%02x-%02x]", bridge.domain(), bridge.secondaryBus(), bridge.subordinateBus()));
            if (bridge.upstream() != null) {
                pci(bridge.upstream(), said);
            }
        } else if (own instanceof ObjectAttributes.OsDevice device) {
            said.put("osdev_type", AttributeLayout.number(device.types()));
        }
        said.values().removeIf(value -> value == null);
        return said;
    }

    private static void pci(ObjectAttributes.Pci pci, Map<String, Object> said) {
        said.put("pci_busid", pci.busId());
        said.put(
                "pci_type",
                String.format(
                        "%04x [%04x:%04x] [%04x:%04x] %02x",
                        pci.classId(),
                        pci.vendorId(),
                        pci.deviceId(),
                        pci.subvendorId(),
                        pci.subdeviceId(),
                        pci.revision()));
        said.put("pci_link_speed", Float.isFinite(pci.linkSpeed()) ? pci.linkSpeed() : null);
    }

    /** A name that stands there several times has all its values. */
    private static Map<String, Object> infos(List<TopologyObject.Info> infos) {
        Map<String, List<String>> all = new LinkedHashMap<>();
        infos.forEach(info ->
                all.computeIfAbsent(info.name(), name -> new ArrayList<>()).add(info.value()));
        Map<String, Object> said = new LinkedHashMap<>();
        all.forEach((name, values) -> said.put(name, values.size() == 1 ? values.get(0) : values));
        return said;
    }

    private Object matrix(Distances.Matrix matrix) {
        Map<String, Object> said = new LinkedHashMap<>();
        int n = matrix.objects().size();
        said.put("name", matrix.name());
        said.put(
                "kind",
                matrix.kinds().stream().mapToInt(kind -> 1 << kind.ordinal()).sum());
        said.put("objects", matrix.objects().stream().map(places::get).toList());
        said.put(
                "values",
                IntStream.range(0, n)
                        .mapToObj(i -> matrix.values().subList(i * n, i * n + n).stream()
                                .map(TopologyDocument::unsigned)
                                .toList())
                        .toList());
        return said;
    }

    private Object memoryAttribute(MemoryAttributes.Attribute attribute) {
        MemoryAttributes memory = topology.memoryAttributes();
        Map<String, Object> said = new LinkedHashMap<>();
        List<Object> values = new ArrayList<>();
        said.put("name", attribute.name());
        said.put(
                "flags",
                (attribute.higherIsBetter() ? 1 : 0)
                        + (attribute.lowerIsBetter() ? 2 : 0)
                        + (attribute.needsInitiator() ? 4 : 0));
        said.put("values", values);
        for (MemoryAttributes.Target target : memory.targets(attribute, null)) {
            Integer place = places.get(target.object());
            if (attribute.needsInitiator()) {
                memory.initiators(attribute, target.object())
                        .forEach(from -> values.add(value(place, Optional.of(from), from.value())));
            } else {
                values.add(value(place, Optional.empty(), target.value()));
            }
        }
        return said;
    }

    private Object value(Integer target, Optional<MemoryAttributes.Initiator> from, long value) {
        Map<String, Object> said = new LinkedHashMap<>();
        said.put("target", target);
        said.put(
                "initiator_cpuset", from.map(MemoryAttributes.Initiator::cpuset).orElse(null));
        said.put(
                "initiator",
                from.map(initiator -> places.get(initiator.object())).orElse(null));
        said.put("value", unsigned(value));
        return said;
    }

    private static Object kind(CpuKinds.Kind kind) {
        Map<String, Object> said = new LinkedHashMap<>();
        said.put("cpuset", kind.cpuset());
        said.put("efficiency", kind.efficiency());
        said.put("infos", infos(kind.infos()));
        return said;
    }

    private static Number unsigned(long value) {
        return value >= 0 ? (Number) value : new BigInteger(Long.toUnsignedString(value));
    }
}
