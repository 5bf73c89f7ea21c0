// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.w3c.dom.Element;

/** Each recorded machine, against what its XML says by Java's own parser. */
class XmlTopologiesTest {
    private static final Map<ObjectType, Integer> SPECIAL_DEPTHS = Map.of(
            ObjectType.NUMANODE,
            -3,
            ObjectType.BRIDGE,
            -4,
            ObjectType.PCI_DEVICE,
            -5,
            ObjectType.OS_DEVICE,
            -6,
            ObjectType.MISC,
            -7,
            ObjectType.MEMCACHE,
            -8);

    static Topology everything(String xml) {
        return Topology.builder()
                .xml(xml)
                .filterAll(TypeFilter.KEEP_ALL)
                .flags(TopologyFlag.INCLUDE_DISALLOWED)
                .load();
    }

    @TestFactory
    List<DynamicTest> asTheXmlSays() throws Exception {
        return XmlMachine.files().stream()
                .filter(XmlTopologiesTest::isFormat2)
                .map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> {
                    String text = Files.readString(file);
                    XmlMachine xml = new XmlMachine(text);
                    try (Topology topology = everything(text)) {
                        assertFalse(topology.isThisSystem());
                        assertEquals(xml.objects.size(), topology.all().count());
                        assertAll(topology.all()
                                .map(object ->
                                        () -> compare(xml.objects.get(Long.toString(object.gpIndex())), object)));
                        Element machine = xml.objects.values().iterator().next();
                        assertEquals(
                                machine.getAttribute("allowed_cpuset"),
                                topology.allowedCpuset().toString());
                        assertEquals(
                                machine.getAttribute("allowed_nodeset"),
                                topology.allowedNodeset().toString());
                        levels(topology);
                        distances(xml, topology);
                        memoryAttributes(xml, topology);
                        cpuKinds(xml, topology);
                    }
                }))
                .toList();
    }

    @TestFactory
    List<DynamicTest> exportIsReadBack() throws Exception {
        return XmlMachine.files().stream()
                .filter(XmlTopologiesTest::isReadable)
                .map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> {
                    try (Topology first = everything(Files.readString(file));
                            Topology second = everything(first.export().xml());
                            Topology copy = first.copy()) {
                        for (Topology other : List.of(second, copy)) {
                            assertEquals(picture(first), picture(other));
                            assertEquals(
                                    first.distances().list().toString(),
                                    other.distances().list().toString());
                            assertEquals(
                                    first.cpuKinds().list(), other.cpuKinds().list());
                        }
                    }
                }))
                .toList();
    }

    private static void compare(Element xml, TopologyObject object) {
        String where = object.toString();
        assertEquals(xml.getAttribute("type"), object.type().hwlocName(), where);
        assertEquals(
                xml.hasAttribute("os_index")
                        ? Integer.parseUnsignedInt(xml.getAttribute("os_index"))
                        : object.parent() == null ? 0 : -1,
                object.osIndex(),
                where);
        assertEquals(XmlMachine.text(xml, "name"), object.name(), where);
        assertEquals(XmlMachine.text(xml, "subtype"), object.subtype(), where);
        assertEquals(XmlMachine.text(xml, "cpuset"), printed(object.cpuset()), where);
        assertEquals(XmlMachine.text(xml, "complete_cpuset"), printed(object.completeCpuset()), where);
        assertEquals(XmlMachine.text(xml, "nodeset"), printed(object.nodeset()), where);
        assertEquals(XmlMachine.text(xml, "complete_nodeset"), printed(object.completeNodeset()), where);
        if (Hwloc.major() == 2) {
            assertEquals(XmlMachine.infos(xml), object.infos(), where);
        } else if (object.type() != ObjectType.OS_DEVICE && object.type() != ObjectType.NUMANODE) {
            // hwloc 3 writes sizes of devices in other units, tiers of memory as attributes, and the machine's sizes of
            // pages as infos.
            assertEquals(
                    XmlMachine.infos(xml),
                    object.infos().subList(0, XmlMachine.infos(xml).size()),
                    where);
        }
        if (object.parent() == null) {
            assertEquals("topology", xml.getParentNode().getNodeName());
        } else {
            assertEquals(
                    ((Element) xml.getParentNode()).getAttribute("gp_index"),
                    Long.toString(object.parent().gpIndex()),
                    where);
        }
        attributes(xml, object);
    }

    private static void attributes(Element xml, TopologyObject object) {
        String where = object.toString();
        if (object.attributes() instanceof ObjectAttributes.Cache cache) {
            assertEquals(xml.getAttribute("cache_size"), Long.toUnsignedString(cache.size()), where);
            assertEquals(xml.getAttribute("depth"), Integer.toString(cache.depth()), where);
            assertEquals(xml.getAttribute("cache_linesize"), Integer.toString(cache.lineSize()), where);
            assertEquals(xml.getAttribute("cache_associativity"), Integer.toString(cache.associativity()), where);
            assertEquals(
                    xml.getAttribute("cache_type"),
                    Integer.toString(cache.type().ordinal()),
                    where);
        } else if (object.attributes() instanceof ObjectAttributes.NumaNode node) {
            assertEquals(
                    xml.hasAttribute("local_memory") ? xml.getAttribute("local_memory") : "0",
                    Long.toUnsignedString(node.localMemory()),
                    where);
            if (Hwloc.major() == 2) {
                assertEquals(
                        XmlMachine.children(xml, "page_type").stream()
                                .map(page -> page.getAttribute("size") + "x" + page.getAttribute("count"))
                                .toList(),
                        node.pageTypes().stream()
                                .map(page -> page.size() + "x" + page.count())
                                .toList(),
                        where);
            }
        } else if (object.attributes() instanceof ObjectAttributes.Group group) {
            assertEquals(
                    xml.getAttribute("kind") + " " + xml.getAttribute("subkind"),
                    group.kind() + " " + group.subkind(),
                    where);
        } else if (object.attributes() instanceof ObjectAttributes.Pci pci) {
            pci(xml, pci);
        } else if (object.attributes() instanceof ObjectAttributes.Bridge bridge) {
            assertEquals(
                    xml.getAttribute("bridge_pci"),
                    String.format("%04x:[%02x-%02x]", bridge.domain(), bridge.secondaryBus(), bridge.subordinateBus()),
                    where);
            assertEquals(xml.getAttribute("bridge_type").startsWith("1"), bridge.upstream() != null, where);
            assertEquals(xml.getAttribute("depth"), Integer.toString(bridge.depth()), where);
            if (bridge.upstream() != null) {
                pci(xml, bridge.upstream());
            }
        } else if (object.attributes() instanceof ObjectAttributes.OsDevice device && Hwloc.major() == 2) {
            List<String> types = List.of("STORAGE", "GPU", "NETWORK", "OPENFABRICS", "DMA", "COPROCESSOR");
            assertEquals(
                    "[" + types.get(Integer.parseInt(xml.getAttribute("osdev_type"))) + "]",
                    device.types().toString(),
                    where);
        }
    }

    private static void pci(Element xml, ObjectAttributes.Pci pci) {
        assertEquals(xml.getAttribute("pci_busid"), pci.busId());
        assertEquals(
                xml.getAttribute("pci_type"),
                String.format(
                        "%04x [%04x:%04x] [%04x:%04x] %02x",
                        pci.classId(),
                        pci.vendorId(),
                        pci.deviceId(),
                        pci.subvendorId(),
                        pci.subdeviceId(),
                        pci.revision()),
                pci.busId());
        assertEquals(Float.parseFloat(xml.getAttribute("pci_link_speed")), pci.linkSpeed(), 1e-5f, pci.busId());
    }

    /**
     * What levels are: one type each, numbered from 0 left to right, cousins at one depth, children deeper than
     * parents.
     */
    private static void levels(Topology topology) {
        for (int depth = SPECIAL_DEPTHS.values().stream().min(Integer::compare).orElseThrow();
                depth < topology.depth();
                depth++) {
            List<TopologyObject> level = topology.objectsAtDepth(depth);
            for (int i = 0; i < level.size(); i++) {
                TopologyObject object = level.get(i);
                assertEquals(i, object.logicalIndex());
                assertEquals(level.get(0).type(), object.type());
                assertEquals(SPECIAL_DEPTHS.getOrDefault(object.type(), depth), depth);
                assertTrue(
                        depth <= 0
                                || object.parent().depth() < depth
                                        && object.parent().children().contains(object),
                        object.toString());
            }
        }
        assertEquals(
                topology.all().count(),
                Map.copyOf(topology.all().collect(Collectors.groupingBy(TopologyObject::depth))).entrySet().stream()
                        .mapToInt(
                                level -> topology.objectsAtDepth(level.getKey()).size())
                        .sum());
        topology.objects(ObjectType.PU)
                .forEach(pu -> assertEquals(pu, topology.pu(pu.osIndex()).orElseThrow()));
        topology.objects(ObjectType.NUMANODE)
                .forEach(node ->
                        assertEquals(node, topology.numaNode(node.osIndex()).orElseThrow()));
    }

    private static void distances(XmlMachine xml, Topology topology) {
        Map<String, TopologyObject> byNumber = new HashMap<>();
        topology.all().forEach(object -> {
            byNumber.put("gp" + object.gpIndex(), object);
            byNumber.put(object.type().hwlocName() + object.osIndex(), object);
        });
        List<Element> expected = new ArrayList<>(XmlMachine.children(xml.root, "distances2"));
        expected.addAll(XmlMachine.children(xml.root, "distances2hetero"));
        List<Distances.Matrix> found = topology.distances().list();
        assertEquals(expected.size(), found.size());
        for (int i = 0; i < expected.size(); i++) {
            Element matrix = expected.get(i);
            assertEquals(XmlMachine.text(matrix, "name"), found.get(i).name());
            assertEquals(
                    Long.parseLong(matrix.getAttribute("kind")),
                    found.get(i).kinds().stream()
                            .mapToLong(kind -> 1L << kind.ordinal())
                            .sum());
            boolean byOs = matrix.getAttribute("indexing").equals("os");
            List<TopologyObject> objects = XmlMachine.words(matrix, "indexes").stream()
                    .map(index -> byNumber.get(
                            byOs
                                    ? matrix.getAttribute("type") + index
                                    : "gp" + index.substring(index.indexOf(':') + 1)))
                    .toList();
            assertEquals(objects, found.get(i).objects());
            assertEquals(
                    XmlMachine.words(matrix, "u64values"),
                    found.get(i).values().stream().map(Long::toUnsignedString).toList());
        }
    }

    private static void memoryAttributes(XmlMachine xml, Topology topology) {
        MemoryAttributes memory = topology.memoryAttributes();
        for (Element expected : XmlMachine.children(xml.root, "memattr")) {
            MemoryAttributes.Attribute attribute =
                    memory.named(expected.getAttribute("name")).orElseThrow();
            int flags = (attribute.higherIsBetter() ? 1 : 0)
                    | (attribute.lowerIsBetter() ? 2 : 0)
                    | (attribute.needsInitiator() ? 4 : 0);
            assertEquals(expected.getAttribute("flags"), Integer.toString(flags));
            for (Element value : XmlMachine.children(expected, "memattr_value")) {
                TopologyObject target = topology.all()
                        .filter(object -> object.gpIndex() == Long.parseLong(value.getAttribute("target_obj_gp_index")))
                        .findFirst()
                        .orElseThrow();
                if (!attribute.needsInitiator()) {
                    assertEquals(
                            Long.parseLong(value.getAttribute("value")),
                            memory.value(attribute, target, null).orElseThrow());
                } else {
                    boolean known = memory.initiators(attribute, target).stream()
                            .anyMatch(initiator -> Long.parseLong(value.getAttribute("value")) == initiator.value()
                                    && (initiator.cpuset() != null
                                            ? initiator
                                                    .cpuset()
                                                    .toString()
                                                    .equals(value.getAttribute("initiator_cpuset"))
                                            : Long.toString(initiator.object().gpIndex())
                                                    .equals(value.getAttribute("initiator_obj_gp_index"))));
                    assertTrue(known, attribute + " of " + target + ": " + memory.initiators(attribute, target));
                }
            }
        }
        MemoryAttributes.Attribute capacity = memory.named("Capacity").orElseThrow();
        for (TopologyObject node : topology.objects(ObjectType.NUMANODE)) {
            assertEquals(
                    ((ObjectAttributes.NumaNode) node.attributes()).localMemory(),
                    memory.value(capacity, node, null).orElseThrow());
        }
    }

    private static void cpuKinds(XmlMachine xml, Topology topology) {
        List<Element> expected = XmlMachine.children(xml.root, "cpukind");
        List<CpuKinds.Kind> found = topology.cpuKinds().list();
        assertEquals(expected.size(), found.size());
        for (Element kind : expected) {
            CpuKinds.Kind same = found.stream()
                    .filter(other -> other.cpuset().toString().equals(kind.getAttribute("cpuset")))
                    .findFirst()
                    .orElseThrow();
            assertEquals(XmlMachine.infos(kind), same.infos());
            assertEquals(same, topology.cpuKinds().of(same.cpuset()).orElseThrow());
            if (expected.stream().allMatch(other -> other.hasAttribute("forced_efficiency"))) {
                // hwloc ranks the given efficiencies anew, from 0.
                int forced = Integer.parseInt(kind.getAttribute("forced_efficiency"));
                assertEquals(
                        expected.stream()
                                .filter(other -> Integer.parseInt(other.getAttribute("forced_efficiency")) < forced)
                                .count(),
                        same.efficiency());
            } else {
                assertTrue(same.efficiency() >= -1 && same.efficiency() < expected.size());
            }
        }
    }

    /** All of all objects, but for the machine's number, which hwloc sets to 0 on its way. */
    static String picture(Topology topology) {
        return topology.all()
                .map(object -> String.join(
                        " ",
                        object.toString(),
                        "" + object.depth(),
                        "" + (object.parent() == null ? 0 : object.osIndex()),
                        "" + object.gpIndex(),
                        object.subtype(),
                        "" + object.completeCpuset(),
                        "" + object.nodeset(),
                        "" + object.completeNodeset(),
                        object.attributes().toString(),
                        object.infos().toString(),
                        "" + object.parent()))
                .collect(Collectors.joining("\n"));
    }

    private static String printed(Bitmap set) {
        return set == null ? null : set.toString();
    }

    private static boolean isFormat2(Path file) {
        try {
            return XmlMachine.isFormat2(Files.readString(file));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** hwloc 2 reads formats 1 and 2; hwloc 3 reads 2, and 3 but for that of its pre-releases. */
    private static boolean isReadable(Path file) {
        return isFormat2(file)
                || Hwloc.major() == 2 && !file.getFileName().toString().contains(".v3.");
    }
}
