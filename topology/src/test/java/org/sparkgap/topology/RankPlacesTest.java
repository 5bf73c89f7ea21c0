// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which processors the ranks of a job get, on machines that need not be this one. */
class RankPlacesTest {
    /** 2 packages of a node and 4 cores each; core i has the PUs 2i and 2i + 1. */
    private static final String TWO_NODES = "pack:2 [numa] core:4 pu:2";

    @TempDir
    Path scratch;

    /** The sets of each rank's threads, joined. */
    private static List<String> ranks(
            String machine, String free, int ranks, int threads, AffinityLevel level, boolean apart) {
        try (Topology topology = Topology.builder().synthetic(machine).load()) {
            Bitmap left = free.isEmpty() ? topology.cpuset() : Bitmap.parseList(free);
            List<Bitmap> places = new ThreadPlaces(topology, topology.cpuset(), left)
                    .choose(new CpuDemand(ranks, threads, level, apart));
            List<String> found = new ArrayList<>();
            Bitmap all = Bitmap.EMPTY;
            for (int at = 0; at < places.size(); at += threads) {
                Bitmap rank = places.subList(at, at + threads).stream().reduce(Bitmap.EMPTY, Bitmap::or);
                assertFalse(rank.intersects(all), "ranks meet in " + places);
                all = all.or(rank);
                found.add(rank.toList());
            }
            return found;
        }
    }

    private static List<String> cores(String free, int ranks, int threads) {
        return ranks(TWO_NODES, free, ranks, threads, AffinityLevel.CORE, false);
    }

    @Test
    void threadsOfARankLieTogether() {
        assertEquals(List.of("0-7", "8-15"), cores("", 2, 4), "a node each");
        assertEquals(List.of("0-3", "4-7", "8-11", "12-15"), cores("", 4, 2));
        assertEquals(List.of("0-5", "8-13"), cores("", 2, 3), "not 2 and 1 in one node");
        assertEquals(List.of("0-1", "2-3"), cores("", 2, 1), "few stay together, and leave a node whole");
        assertEquals(List.of("8-15"), cores("0-5,8-15", 1, 4), "the node that is whole");
    }

    @Test
    void whatOthersHaveIsLeft() {
        assertEquals(List.of("8-13", "2-5,14-15"), cores("2-5,8-15", 2, 3), "the second has to span");
        assertEquals(List.of("4-7", "12-15"), cores("4-7,12-15", 2, 2));
        assertEquals(List.of(), cores("2-15", 4, 2), "one core too few");
        assertEquals(List.of(), cores("1-15", 8, 1), "half a core is none");
        assertEquals(List.of(), ranks(TWO_NODES, "", 4, 5, AffinityLevel.PU, false));
        assertEquals(List.of(), ranks(TWO_NODES, "", 1 << 30, 1 << 30, AffinityLevel.PU, false));
    }

    @Test
    void siblingsComeLastAndAreOfOneRank() {
        assertEquals(List.of("0,2,4,6", "8,10,12,14"), ranks(TWO_NODES, "", 2, 4, AffinityLevel.PU, false));
        assertEquals(List.of("0-7", "8-15"), ranks(TWO_NODES, "", 2, 8, AffinityLevel.PU, false));
        assertEquals(List.of("0-1", "2-3", "4-5", "6-7"), ranks("core:4 pu:2", "", 4, 2, AffinityLevel.NUMA, false));
        assertEquals(
                List.of("0-2", "3-4,6"),
                ranks("core:4 pu:2", "", 2, 3, AffinityLevel.PU, false),
                "every core has a thread before one has two");
    }

    @Test
    void ranksApartHaveANodeEach() {
        assertEquals(List.of("0-3", "8-11"), ranks(TWO_NODES, "", 2, 2, AffinityLevel.CORE, true));
        assertEquals(List.of("0-3", "8-11", "4-7", "12-15"), ranks(TWO_NODES, "", 4, 2, AffinityLevel.CORE, true));
        assertEquals(
                List.of("8-11", "12-15"),
                ranks(TWO_NODES, "4-5,8-15", 2, 2, AffinityLevel.CORE, true),
                "the other node has no room");
        assertEquals(
                List.of("0-4", "8-12", "5-7,13-14"),
                ranks("pack:2 [numa] core:8 pu:1", "", 3, 5, AffinityLevel.CORE, true),
                "nor any for the third");
        assertEquals(
                List.of("0-3", "4-7", "12-15"),
                ranks("pack:2 numa:2 core:4 pu:1", "0-7,12-15", 3, 4, AffinityLevel.NUMA, true));
    }

    @Test
    void theLevelIsWithinTheRank() {
        assertEquals(List.of("0-3", "4-7", "8-11", "12-15"), ranks(TWO_NODES, "", 4, 2, AffinityLevel.NUMA, false));
        try (Topology topology = Topology.builder().synthetic(TWO_NODES).load()) {
            List<Bitmap> wide = new ThreadPlaces(topology, topology.cpuset(), topology.cpuset())
                    .choose(new CpuDemand(1, 6, AffinityLevel.NUMA, false));
            assertEquals(
                    List.of("0-7", "0-7", "0-7", "0-7", "8-11", "8-11"),
                    wide.stream().map(Bitmap::toList).toList());
        }
    }

    @Test
    void manyRanks() {
        List<String> all = ranks("pack:4 [numa] l3:8 core:16 pu:2", "", 512, 1, AffinityLevel.CORE, false);
        assertEquals(512, all.size());
        assertEquals(List.of("0-1", "1022-1023"), List.of(all.get(0), all.get(511)));
        assertEquals(
                List.of("0-31", "32-63"),
                ranks("pack:4 [numa] l3:8 core:16 pu:2", "", 32, 16, AffinityLevel.CORE, false)
                        .subList(0, 2),
                "an L3 each");
    }

    @Test
    void partsOfAShareDoNotMeet() throws Exception {
        try (Topology topology = Topology.builder().synthetic(TWO_NODES).load();
                CpuShare share =
                        CpuShare.claim(topology, topology.cpuset(), scratch.resolve("cpus"), 4, AffinityLevel.CORE)) {
            CpuDemand demand = new CpuDemand(2, 1, AffinityLevel.CORE, false);
            CpuShare first = share.part(topology, demand);
            CpuShare second = share.part(topology, demand);
            assertEquals(
                    List.of("0-1", "2-3", "4-5", "6-7"),
                    List.of(
                            first.places().get(0).toList(),
                            first.places().get(1).toList(),
                            second.places().get(0).toList(),
                            second.places().get(1).toList()));
            CpuShare third = share.part(topology, demand);
            assertEquals(List.of(), third.places());
            assertEquals("", third.wasFree().toList());
            first.close();
            CpuShare heir = share.part(topology, demand);
            assertEquals("0-3", heir.cpuset().toList());
            first.close();
            third.close();
            assertEquals(List.of(), share.part(topology, demand).places(), "what was given back once is another's now");
        }
        assertThrows(HwlocException.class, () -> new CpuDemand(1, 0, AffinityLevel.CORE, false));
    }
}
