// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random machines whose objects can be counted beforehand, and what is computed from objects. */
class SyntheticTest {
    private static final int MACHINES = 200;
    private static final int MOST_PUS = 160;
    private static final List<String> LEVELS = List.of("Package", "Die", "L3Cache", "L2Cache", "L1Cache", "Core", "PU");

    private final Random random = new Random(11);

    /** Levels from the machine down, with how many of each all over; NUMA nodes attached to one of them. */
    private record Machine(Map<String, Integer> counts, String description) {}

    @Test
    void levelsAreAsDescribed() {
        for (int i = 0; i < MACHINES; i++) {
            Machine machine = machine();
            try (Topology topology = load(machine)) {
                int pus = machine.counts.get("PU");
                assertEquals(Bitmap.range(0, pus - 1), topology.cpuset(), machine.description);
                machine.counts.forEach((type, count) -> {
                    List<TopologyObject> objects = topology.objects(ObjectType.named(type));
                    assertEquals(count, objects.size(), type + " of " + machine.description);
                    for (int j = 0; j < count; j++) {
                        assertEquals(
                                Bitmap.range(j * (pus / count), (j + 1) * (pus / count) - 1),
                                objects.get(j).cpuset(),
                                machine.description);
                    }
                });
                assertEquals(
                        machine.counts.size(),
                        topology.depth(),
                        "NUMA nodes stand beside the levels, the machine on top: " + machine.description);
            }
        }
    }

    @Test
    void exportedDescriptionsAreReadBack() {
        for (int i = 0; i < MACHINES / 4; i++) {
            try (Topology first = load(machine());
                    Topology second = Topology.builder()
                            .synthetic(first.export().synthetic())
                            .filterAll(TypeFilter.KEEP_ALL)
                            .load()) {
                assertEquals(shape(first), shape(second));
                assertEquals(first.export().synthetic(), second.export().synthetic());
            }
        }
    }

    @Test
    void distributedSetsShareTheMachine() {
        for (int i = 0; i < MACHINES / 4; i++) {
            Machine machine = machine();
            try (Topology topology = load(machine)) {
                int pus = machine.counts.get("PU");
                for (int n : new int[] {1, 2, 3, 1 + random.nextInt(2 * pus), pus, 2 * pus}) {
                    List<Bitmap> sets = topology.coverage().distribute(n);
                    assertEquals(n, sets.size());
                    assertEquals(
                            topology.cpuset(),
                            sets.stream().reduce(Bitmap.EMPTY, Bitmap::or),
                            n + " over " + machine.description);
                    assertTrue(
                            n < pus || sets.stream().allMatch(set -> set.weight() == 1),
                            "no share is less than a PU: " + machine.description);
                    assertEquals(
                            sets.stream()
                                    .sorted(Comparator.comparingInt(Bitmap::first))
                                    .toList(),
                            sets);
                    if (pus % n == 0 && n > 1 && machine.counts.containsValue(n)) {
                        assertTrue(
                                sets.stream().allMatch(set -> set.weight() == pus / n),
                                n + " equal shares of " + machine.description);
                    }
                }
            }
        }
        // By hand, as hwloc-distrib has it: four sets over two packages of three cores.
        try (Topology topology =
                Topology.builder().synthetic("pack:2 core:3 pu:1").load()) {
            assertEquals(
                    List.of("0", "1-2", "3", "4-5"),
                    topology.coverage().distribute(4).stream()
                            .map(Bitmap::toList)
                            .toList());
            assertEquals(
                    List.of("3-5", "0-2"),
                    topology.coverage().distribute(2, List.of(topology.root()), Integer.MAX_VALUE, true).stream()
                            .map(Bitmap::toList)
                            .toList());
            assertEquals(
                    List.of("0-2", "0-2", "3-5", "3-5"),
                    topology.coverage().distribute(4, List.of(topology.root()), 1, false).stream()
                            .map(Bitmap::toList)
                            .toList());
            assertThrows(HwlocException.class, () -> topology.coverage().distribute(0));
        }
    }

    @Test
    void coverageIsFoundAsByLooking() {
        for (int i = 0; i < MACHINES / 4; i++) {
            Machine machine = machine();
            try (Topology topology = load(machine)) {
                int pus = machine.counts.get("PU");
                Bitmap set =
                        Bitmap.of(random.ints(1 + random.nextInt(4), 0, pus).toArray());
                Coverage coverage = topology.coverage();
                TopologyObject smallest = topology.all()
                        .filter(object -> object.type().isNormal() && set.isIncludedIn(object.cpuset()))
                        .min(Comparator.comparingInt((TopologyObject object) ->
                                        object.cpuset().weight())
                                .thenComparingInt(object -> -object.depth()))
                        .orElseThrow();
                assertEquals(smallest, coverage.smallestWith(set).orElseThrow());
                List<TopologyObject> largest = coverage.largestIn(set);
                assertEquals(set, largest.stream().map(TopologyObject::cpuset).reduce(Bitmap.EMPTY, Bitmap::or));
                assertEquals(
                        set.weight(),
                        largest.stream()
                                .mapToInt(object -> object.cpuset().weight())
                                .sum());
                assertTrue(
                        largest.stream()
                                .allMatch(object -> object.parent() == null
                                        || !object.parent().cpuset().isIncludedIn(set)),
                        "none could be larger");
                assertEquals(
                        topology.nodeset().stream()
                                .filter(node -> topology.numaNode(node)
                                        .orElseThrow()
                                        .cpuset()
                                        .intersects(set))
                                .boxed()
                                .toList(),
                        coverage.nodesOf(set).stream().boxed().toList());
                assertEquals(topology.cpuset(), coverage.cpusOf(topology.nodeset()));
                TopologyObject pu = topology.pu(set.first()).orElseThrow();
                assertEquals(pus - 1, coverage.closestTo(pu).size());
                assertEquals(topology.root(), pu.commonAncestor(topology.root()));
                topology.objects(ObjectType.CORE)
                        .forEach(core ->
                                assertEquals(Bitmap.of(core.cpuset().first()), coverage.onePerCore(core.cpuset(), 0)));
            }
        }
    }

    @Test
    void whatHwlocWouldNotSurviveIsRefused() {
        for (String wrong : List.of(
                "",
                "x",
                "pu",
                "pack:0 pu:1",
                "pu:99999999999999999999",
                "core:100000 pu:100000",
                "pu:4294967297",
                "pack:2 pack:2 pu:1",
                "memcache:2 pu:2",
                "pu:4(indexes=core:pu)",
                "pu:1\n",
                "pu:1'")) {
            assertThrows(
                    HwlocException.class,
                    () -> Topology.builder().synthetic(wrong).load().close(),
                    wrong);
        }
    }

    private static Topology load(Machine machine) {
        return Topology.builder()
                .synthetic(machine.description)
                .filterAll(TypeFilter.KEEP_ALL)
                .load();
    }

    private Machine machine() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        List<String> words = new ArrayList<>();
        int total = 1;
        int withMemory = random.nextInt(LEVELS.size());
        counts.put("Machine", 1);
        if (withMemory == 0) {
            words.add("[NUMANode(memory=" + (1L << 30) + ")]");
        }
        for (String level : LEVELS) {
            int most = Math.min(8, MOST_PUS / total);
            // hwloc 3 drops a die that is its whole package.
            if (level.equals("PU") || (!level.equals("Die") || most > 1) && random.nextInt(3) > 0) {
                int count = level.equals("Die") ? 2 + random.nextInt(most - 1) : 1 + random.nextInt(most);
                total *= count;
                counts.put(level, total);
                words.add(level + ":" + count
                        + (level.startsWith("L") && random.nextBoolean() ? "(size=" + (1 << 15) + ")" : ""));
                if (level.equals(LEVELS.get(withMemory)) && withMemory > 0 && withMemory < LEVELS.size() - 1) {
                    words.add("[NUMANode(memory=4GiB)]");
                }
            }
        }
        return new Machine(counts, String.join(" ", words));
    }

    private static String shape(Topology topology) {
        return topology.all()
                .map(object -> object + " " + object.attributes() + " " + object.nodeset())
                .toList()
                .toString();
    }
}
