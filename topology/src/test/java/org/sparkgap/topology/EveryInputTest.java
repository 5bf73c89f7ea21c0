// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Whatever is given and asked, the JVM lives: an answer, or an exception of ours. A crash of the test's JVM is the
 * failure that this looks for.
 */
class EveryInputTest {
    private static final int MACHINES = 120;
    private static final int LARGEST_FILE = 60_000;
    private static final Pattern ATTRIBUTE = Pattern.compile(" ([a-z_]+)=\"([^\"]*)\"");
    private static final List<String> VALUES = List.of(
            "",
            "0",
            "-1",
            "1",
            "0x0",
            "0x1",
            "0xf...f",
            "4294967295",
            "99999999999999999999",
            "PU",
            "NUMANode",
            "Machine",
            "Bridge",
            "Group",
            "OSDev",
            "Misc",
            "MemCache",
            "L3Cache",
            "x");
    private static final List<String> WORDS = List.of(
            "pack",
            "core",
            "pu",
            "l2",
            "l1i",
            "numa",
            "group",
            "[numa]",
            "(size=5)",
            "(indexes=0,1)",
            "(indexes=2*2:1*2)",
            "(indexes=pack:core)",
            "(memory=-1)",
            ":",
            ":2",
            ":0",
            "[",
            ")",
            "misc",
            "memcache",
            "machine:2",
            "l9:2");

    private Random random;

    @Test
    void brokenXml() throws Exception {
        int loaded = 0;
        for (int seed = 0; seed < MACHINES; seed++) {
            random = new Random(seed);
            String xml = one(texts());
            for (int i = 0; i <= random.nextInt(3); i++) {
                MatchResult place = one(ATTRIBUTE.matcher(xml).results().toList());
                String other = random.nextBoolean()
                        ? one(VALUES)
                        : one(ATTRIBUTE.matcher(xml).results().toList()).group(2);
                xml = random.nextInt(4) == 0
                        ? xml.substring(0, place.start()) + xml.substring(place.end())
                        : xml.substring(0, place.start(2)) + other + xml.substring(place.end(2));
            }
            loaded += lives(Topology.builder().xml(xml));
        }
        assertTrue(loaded > MACHINES / 10 && loaded < MACHINES, "some are still machines, some are not: " + loaded);
    }

    @Test
    void randomDescriptions() {
        int loaded = 0;
        for (int seed = 0; seed < MACHINES; seed++) {
            random = new Random(seed);
            StringBuilder words = new StringBuilder(random.nextBoolean() ? "pack:2" + one(WORDS) + " " : "");
            for (int i = 0; i < random.nextInt(5); i++) {
                words.append(one(WORDS)).append(random.nextBoolean() ? ":2 " : " ");
            }
            loaded += lives(Topology.builder().synthetic(words + (random.nextInt(5) > 0 ? "pu:3" : "")));
        }
        assertTrue(loaded > MACHINES / 10 && loaded < MACHINES, "some are machines, some are not: " + loaded);
    }

    @Test
    void recordedMachines() throws Exception {
        for (int seed = 0; seed < MACHINES; seed++) {
            random = new Random(seed);
            lives(Topology.builder()
                    .xml(one(texts()))
                    .filterAll(one(List.of(TypeFilter.values())))
                    .flags(TopologyFlag.INCLUDE_DISALLOWED));
        }
    }

    /** Loads, changes and asks. 1 where it could be loaded. */
    private int lives(TopologyBuilder builder) {
        try (Topology topology = builder.load()) {
            for (int i = 0; i < 5; i++) {
                try {
                    use(topology);
                } catch (HwlocException refused) {
                    assertTrue(refused.getMessage().contains(": expected "), refused.getMessage());
                }
            }
            return 1;
        } catch (HwlocException | IllegalArgumentException refused) {
            return 0;
        }
    }

    private void use(Topology topology) {
        Bitmap cpus = part(topology.root().completeCpuset());
        Bitmap nodes = part(topology.root().completeNodeset());
        List<TopologyObject> all = topology.all().toList();
        TopologyObject object = one(all);
        MemoryAttributes memory = topology.memoryAttributes();
        MemoryAttributes.Attribute attribute = one(memory.list());
        switch (random.nextInt(13)) {
            case 0 -> topology.change().restrictTo(cpus, one(List.of(TopologyChange.Restrict.values())));
            case 1 -> topology.change().restrictToNodes(nodes, one(List.of(TopologyChange.Restrict.values())));
            case 2 -> topology.change().allow(cpus, nodes);
            case 3 -> topology.change().addMisc(object, "x");
            case 4 -> topology.change().addGroup(List.of(object, one(all)));
            case 5 -> topology.export().synthetic(random.nextBoolean(), random.nextBoolean());
            case 6 -> topology.export().xml(one(List.of(TopologyExport.Format.values())));
            case 7 -> topology.distances()
                    .add(
                            random.nextBoolean() ? "d" : null,
                            List.of(object, one(all)),
                            new long[] {1, 2, 3, 4},
                            Set.of(
                                    Distances.Kind.FROM_USER,
                                    one(Arrays.asList(Distances.Kind.values()).subList(2, 6))));
            case 8 -> topology.distances().transformed(one(List.of(Distances.Transform.values())));
            case 9 -> topology.cpuKinds().add(cpus, random.nextInt(4) - 1);
            case 11 -> assertTrue(topology.export().json().endsWith("]}"));
            case 10 -> {
                memory.targets(attribute, cpus);
                memory.bestTarget(attribute, cpus);
                memory.initiators(attribute, object);
                memory.set(attribute, object, random.nextBoolean() ? cpus : null, 7);
            }
            default -> {
                try (Topology copy = topology.copy()) {
                    copy.change().restrictTo(cpus);
                }
            }
        }
    }

    private Bitmap part(Bitmap set) {
        int rare = random.nextInt(20);
        int share = 1 + random.nextInt(3);
        return rare == 0
                ? Bitmap.EMPTY
                : rare == 1 || set.isEndless()
                        ? Bitmap.FULL
                        : Bitmap.of(set.stream()
                                .filter(number -> random.nextInt(share) == 0)
                                .toArray());
    }

    private <T> T one(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    private static List<String> texts() throws Exception {
        List<String> texts = new ArrayList<>();
        for (Path file : XmlMachine.files()) {
            if (Files.size(file) < LARGEST_FILE) {
                texts.add(Files.readString(file));
            }
        }
        return texts;
    }
}
