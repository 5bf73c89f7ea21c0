// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** This machine, and changes of others. */
class TopologyTest {
    @TempDir
    Path folder;

    @Test
    void thisMachine() throws Exception {
        assertTrue(Hwloc.problem().isEmpty());
        assertEquals(
                "bundled".equals(System.getProperty(Hwloc.PROPERTY)),
                Hwloc.isBundled(),
                "the system's package libhwloc15 is there: " + Hwloc.path());
        assertTrue(Hwloc.version().matches("[23]\\.\\d+\\.\\d+"), Hwloc.version() + " from " + Hwloc.path());
        Bitmap online = Bitmap.parseList(Files.readString(Path.of("/sys/devices/system/cpu/online")));
        try (Topology topology =
                Topology.builder().flags(TopologyFlag.INCLUDE_DISALLOWED).load()) {
            assertTrue(topology.isThisSystem());
            assertEquals(online, topology.cpuset());
            assertTrue(topology.flags().contains(TopologyFlag.INCLUDE_DISALLOWED));
            assertTrue(
                    topology.support().has("discovery.pu") && topology.support().has("cpubind.set_thisthread_cpubind"));
            assertEquals(
                    "Linux",
                    topology.root()
                            .info("OSName")
                            .or(() -> topology.root().info("Backend"))
                            .orElseThrow());
            long memory = Files.readAllLines(Path.of("/proc/meminfo")).stream()
                    .filter(line -> line.startsWith("MemTotal"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .findFirst()
                    .orElseThrow();
            assertTrue(
                    topology.root().totalMemory() > 0 && topology.root().totalMemory() <= memory * 2,
                    topology.root().totalMemory() + " of " + memory);
            topology.export().xml(folder.resolve("this.xml"));
            try (Topology again = Topology.builder()
                    .xml(folder.resolve("this.xml"))
                    .flags(TopologyFlag.INCLUDE_DISALLOWED)
                    .load()) {
                assertEquals(XmlTopologiesTest.picture(topology), XmlTopologiesTest.picture(again));
                assertFalse(again.isThisSystem());
            }
            try (Topology again = Topology.builder()
                    .xml(folder.resolve("this.xml"))
                    .flags(TopologyFlag.IS_THIS_SYSTEM)
                    .load()) {
                assertTrue(again.isThisSystem());
            }
        }
        try (Topology own =
                Topology.builder().pid(ProcessHandle.current().pid()).load()) {
            assertEquals(own.allowedCpuset(), own.cpuset());
        }
    }

    @Test
    void restrictAndAllow() {
        try (Topology topology = Topology.builder()
                .synthetic("pack:2 [numa] core:4 pu:2")
                .flags(TopologyFlag.INCLUDE_DISALLOWED)
                .load()) {
            TopologyObject before = topology.object(ObjectType.CORE, 3);
            topology.change().allow(Bitmap.range(0, 11), Bitmap.of(0, 1));
            assertEquals(Bitmap.range(0, 11), topology.allowedCpuset());
            topology.change().allowAll();
            assertEquals(Bitmap.range(0, 15), topology.allowedCpuset());
            topology.change().restrictTo(Bitmap.range(4, 7), TopologyChange.Restrict.REMOVE_CPULESS);
            assertEquals(
                    List.of("4-5", "6-7"),
                    topology.objects(ObjectType.CORE).stream()
                            .map(core -> core.cpuset().toList())
                            .toList());
            assertEquals(1, topology.objects(ObjectType.NUMANODE).size());
            assertEquals("6-7", before.cpuset().toList(), "what was read stays");
            assertEquals(before.gpIndex(), topology.object(ObjectType.CORE, 1).gpIndex());
            assertEquals(
                    "EINVAL",
                    assertThrows(HwlocException.class, () -> topology.change().restrictTo(Bitmap.of(99)))
                            .errnoName());
            assertEquals("4-7", topology.cpuset().toList());
            assertThrows(HwlocException.class, () -> topology.change()
                    .restrictToNodes(Bitmap.of(0), TopologyChange.Restrict.REMOVE_CPULESS));
            assertThrows(HwlocException.class, () -> topology.change().allowLocal());
        }
    }

    @Test
    void restrictToNodesOfEveryRecordedMachine() throws Exception {
        for (Path file : XmlMachine.files()) {
            String text = Files.readString(file);
            if (XmlMachine.isFormat2(text)) {
                try (Topology topology = XmlTopologiesTest.everything(text)) {
                    Bitmap node = topology.allowedNodeset().singlify();
                    topology.change().restrictToNodes(node, TopologyChange.Restrict.REMOVE_MEMLESS);
                    assertEquals(node, topology.nodeset(), file.toString());
                    Bitmap half = Bitmap.of(topology.allowedCpuset().stream()
                            .limit(Math.max(1, topology.allowedCpuset().weight() / 2))
                            .toArray());
                    topology.change().restrictTo(half);
                    assertEquals(half, topology.cpuset(), file.toString());
                    topology.distances().list();
                    topology.memoryAttributes().list();
                    topology.cpuKinds().list();
                    assertTrue(topology.export().xml().contains("Machine"));
                }
            }
        }
    }

    @Test
    void syntheticExportOfEveryRecordedMachineEndsWell() throws Exception {
        int exported = 0;
        for (Path file : XmlMachine.files()) {
            String text = Files.readString(file);
            if (XmlMachine.isFormat2(text)) {
                try (Topology topology = XmlTopologiesTest.everything(text)) {
                    for (boolean plain : new boolean[] {true, false}) {
                        try (Topology again = Topology.builder()
                                .synthetic(topology.export().synthetic(plain, plain))
                                .load()) {
                            assertEquals(
                                    topology.objects(ObjectType.PU).size(),
                                    again.objects(ObjectType.PU).size(),
                                    file.toString());
                            exported++;
                        } catch (HwlocException refused) {
                            assertTrue(!topology.root().isSymmetric() || !plain, file + ": " + refused.getMessage());
                        }
                    }
                }
            }
        }
        assertTrue(exported > 10, "only " + exported);
    }

    @Test
    void addedObjectsAndValues() {
        try (Topology topology = Topology.builder()
                .synthetic("numa:4 core:2 pu:1")
                .filter(ObjectType.MISC, TypeFilter.KEEP_ALL)
                .load()) {
            List<TopologyObject> cores = topology.objects(ObjectType.CORE);
            TopologyObject misc = topology.change().addMisc(cores.get(0), "here");
            assertEquals("here", misc.name());
            assertEquals(
                    "here",
                    topology.object(ObjectType.CORE, 0).miscChildren().get(0).name());
            TopologyObject group = topology.change()
                    .addGroup(
                            List.of(topology.object(ObjectType.NUMANODE, 0), topology.object(ObjectType.NUMANODE, 1)));
            assertEquals("0-3", group.cpuset().toList());
            List<TopologyObject> nodes = topology.objects(ObjectType.NUMANODE);
            long[] values = new long[16];
            for (int i = 0; i < 16; i++) {
                values[i] = i / 4 == i % 4 ? 10 : 20 + i;
            }
            topology.distances().add("mine", nodes, values, Set.of(Distances.Kind.FROM_USER, Distances.Kind.LATENCY));
            Distances.Matrix matrix = topology.distances().named("mine").get(0);
            assertEquals(
                    26,
                    matrix.value(topology.object(ObjectType.NUMANODE, 1), topology.object(ObjectType.NUMANODE, 2))
                            .orElseThrow());
            assertEquals(
                    matrix, topology.distances().ofType(ObjectType.NUMANODE).get(0));
            topology.distances().remove("mine");
            assertEquals(List.of(), topology.distances().list());
            assertThrows(HwlocException.class, () -> topology.distances().add("bad", nodes, values, Set.of()));

            MemoryAttributes memory = topology.memoryAttributes();
            MemoryAttributes.Attribute speed = memory.add("speed", true, true);
            Bitmap from = Bitmap.of(0, 1);
            for (int i = 0; i < 4; i++) {
                memory.set(speed, topology.object(ObjectType.NUMANODE, i), from, 100 - i);
            }
            assertEquals(
                    98,
                    memory.value(speed, topology.object(ObjectType.NUMANODE, 2), from)
                            .orElseThrow());
            assertEquals(
                    new MemoryAttributes.Target(topology.object(ObjectType.NUMANODE, 0), 100),
                    memory.bestTarget(speed, from).orElseThrow());
            assertEquals(
                    new MemoryAttributes.Initiator(from, null, 97),
                    memory.bestInitiator(speed, topology.object(ObjectType.NUMANODE, 3))
                            .orElseThrow());
            assertEquals(4, memory.targets(speed, from).size());
            assertEquals(List.of(topology.object(ObjectType.NUMANODE, 0)), memory.localNodes(from));
            MemoryAttributes.Attribute capacity = memory.named("Capacity").orElseThrow();
            assertThrows(
                    HwlocException.class, () -> memory.set(capacity, topology.object(ObjectType.NUMANODE, 0), null, 1));

            topology.cpuKinds().add(Bitmap.range(0, 3), 1);
            topology.cpuKinds().add(Bitmap.range(4, 7), 5);
            assertEquals(
                    List.of("0-3", "4-7"),
                    topology.cpuKinds().list().stream()
                            .map(kind -> kind.cpuset().toList())
                            .toList());
            assertTrue(topology.cpuKinds().of(Bitmap.range(3, 4)).isEmpty());
        }
    }

    @Test
    void closedAndForeign() throws Exception {
        Topology topology = Topology.builder().synthetic("core:4 pu:1").load();
        TopologyObject core = topology.object(ObjectType.CORE, 1);
        try (Topology other = Topology.builder().synthetic("pu:1").load()) {
            assertThrows(HwlocException.class, () -> other.change().addGroup(List.of(core)));
            assertThrows(HwlocException.class, () -> core.commonAncestor(other.root()));
        }
        // Many read while one closes: each read works or says that it was too late.
        AtomicInteger late = new AtomicInteger();
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            readers.add(new Thread(() -> {
                try {
                    while (true) {
                        topology.distances().list();
                        topology.support();
                    }
                } catch (HwlocException closed) {
                    late.incrementAndGet();
                }
            }));
        }
        readers.forEach(Thread::start);
        topology.close();
        topology.close();
        for (Thread reader : readers) {
            reader.join();
        }
        assertEquals(4, late.get());
        assertEquals("1", core.cpuset().toList());
        assertThrows(HwlocException.class, topology::support);
    }

    @Test
    void xmlThatIsNoTopologyIsRefused() {
        String machine = "<topology version=\"2.0\"><object type=\"Machine\" os_index=\"0\" cpuset=\"0x1\" "
                + "complete_cpuset=\"0x1\" allowed_cpuset=\"0x1\" nodeset=\"0x1\" "
                + "complete_nodeset=\"0x1\" allowed_nodeset=\"0x1\" gp_index=\"1\">%s</object></topology>";
        String pu = "<object type=\"PU\" os_index=\"0\" cpuset=\"0x1\" complete_cpuset=\"0x1\" nodeset=\"0x1\" "
                + "complete_nodeset=\"0x1\" gp_index=\"2\"/>";
        for (String wrong : List.of(
                "",
                "<",
                "<html/>",
                "<topology/>",
                machine.formatted(""),
                machine.formatted(pu + pu),
                machine.formatted(pu.replace("0x1", "0x2")),
                machine.formatted(pu.replace("PU", "Machine")),
                machine.formatted(pu.replace("0x1", "none")),
                machine.formatted(pu.replace("cpuset=\"0x1\"", "cpuset=\"0xf...f\"")),
                "<!DOCTYPE topology [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><topology>&a;</topology>")) {
            assertThrows(
                    RuntimeException.class,
                    () -> Topology.builder().xml(wrong).load().close(),
                    wrong);
        }
        assertThrows(UncheckedIOException.class, () -> Topology.builder().xml(folder.resolve("none.xml")));
    }
}
