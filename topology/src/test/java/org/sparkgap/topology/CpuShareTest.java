// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Who takes which processors, on machines that need not be this one, and what the locks of real processes make of it.
 */
class CpuShareTest {
    /** 2 packages, 4 nodes, 16 cores; core i has the PUs 2i and 2i + 1. */
    private static final String MACHINE = "pack:2 [numa] l3:2 core:4 pu:2";

    @TempDir
    Path scratch;

    private static List<String> chosen(String machine, String usable, String free, int threads, AffinityLevel level) {
        return chosen(machine, usable, free, CpuDemand.of(threads, level));
    }

    private static List<String> chosen(String machine, String usable, String free, CpuDemand demand) {
        try (Topology topology = Topology.builder().synthetic(machine).load()) {
            Bitmap all = topology.cpuset();
            Bitmap may = usable.isEmpty() ? all : Bitmap.parseList(usable);
            return new ThreadPlaces(topology, may, free.isEmpty() ? may : Bitmap.parseList(free))
                    .choose(demand).stream().map(Bitmap::toList).toList();
        }
    }

    @Test
    void eachLevelHasItsSets() {
        assertEquals(List.of("0-1", "2-3", "4-5"), chosen(MACHINE, "", "", 3, AffinityLevel.CORE));
        assertEquals(List.of("0", "2", "4"), chosen(MACHINE, "", "", 3, AffinityLevel.PU));
        assertEquals(List.of("0-5", "0-5", "0-5"), chosen(MACHINE, "", "", 3, AffinityLevel.CPU));
        List<String> wide = chosen(MACHINE, "", "", 12, AffinityLevel.CPU);
        assertEquals(List.of("0-15", "16-23"), wide.stream().distinct().toList());
        assertEquals(8, wide.stream().filter("0-15"::equals).count());
        assertEquals(
                List.of("0-7", "8-11"),
                chosen("numa:4 core:4 pu:2", "", "", 6, AffinityLevel.NUMA).stream()
                        .distinct()
                        .toList());
        assertEquals(List.of("0", "1"), chosen("core:2 pu:1", "", "", 2, AffinityLevel.PU));
        assertEquals(List.of("0-1", "0-1"), chosen("core:2 pu:1", "", "", 2, AffinityLevel.NUMA));
        assertEquals(List.of("0", "1", "2"), chosen("pu:4", "", "", 3, AffinityLevel.CORE), "no cores are told");
    }

    @Test
    void theSmallestPartThatHasEnoughIsTaken() {
        assertEquals(
                List.of("24", "26", "28", "30"),
                chosen(MACHINE, "", "2-5,10-15,18-31", 4, AffinityLevel.PU),
                "an L3 that is whole, not a larger part");
        assertEquals(
                List.of("2-3", "4-5"),
                chosen(MACHINE, "", "2-5,10-15,18-31", 2, AffinityLevel.CORE),
                "what is left of one, so that others stay whole");
        assertEquals(
                List.of("6-7", "8-9"),
                chosen(MACHINE, "", "6-9,16-17", 2, AffinityLevel.CORE),
                "one package rather than two");
    }

    @Test
    void siblingsComeLast() {
        assertEquals(List.of("0", "2", "4", "6", "1", "3"), chosen("core:4 pu:2", "", "", 6, AffinityLevel.PU));
        assertEquals(
                List.of("4", "6", "1"),
                chosen("core:4 pu:2", "", "1,4-7", 3, AffinityLevel.PU),
                "another has 0, 2 and 3");
        assertEquals(
                List.of("6-7", "4-5"),
                chosen("core:4 pu:2", "", "4-7", 2, AffinityLevel.CORE).stream()
                        .sorted((a, b) -> b.compareTo(a))
                        .toList());
        assertEquals(List.of(), chosen("core:4 pu:2", "", "1,4-7", 3, AffinityLevel.CORE), "half a core is none");
        assertEquals(
                List.of("0-7"),
                chosen("core:4 pu:2", "", "", 8, AffinityLevel.NUMA).stream()
                        .distinct()
                        .toList());
    }

    @Test
    void tooFewAreNone() {
        for (AffinityLevel level :
                List.of(AffinityLevel.CPU, AffinityLevel.CORE, AffinityLevel.PU, AffinityLevel.NUMA)) {
            assertEquals(List.of(), chosen("core:4 pu:2", "", "", 9, level));
            assertEquals(List.of(), chosen("core:4 pu:2", "0-1", "", 3, level));
        }
    }

    @Test
    void aShareThatWasGivenIsKept() {
        assertEquals(
                List.of("9", "10-11"),
                chosen(MACHINE, "9-11", "", 2, AffinityLevel.CORE),
                "PU 8 is not ours, so 9 is all of its core");
        assertEquals(List.of("9", "10", "11"), chosen(MACHINE, "9-11", "", 3, AffinityLevel.PU));
        assertEquals(
                List.of("9-11"),
                chosen(MACHINE, "9-11", "", 2, AffinityLevel.CPU).stream()
                        .distinct()
                        .toList());
    }

    @Test
    void manyProcessors() {
        List<String> all = chosen("pack:4 numa:2 core:32 pu:2", "", "", 512, AffinityLevel.PU);
        assertEquals(512, new HashSet<>(all).size());
        assertEquals(List.of("0", "510", "1", "511"), List.of(all.get(0), all.get(255), all.get(256), all.get(511)));
    }

    @Test
    void processesDoNotMeetAndTheDeadHoldNothing() throws Exception {
        Path folder = scratch.resolve("deep/cpus");
        List<Process> holders = new ArrayList<>();
        try {
            // All at once: each takes a whole L3.
            for (int i = 0; i < 3; i++) {
                holders.add(ShareHolder.start(folder, MACHINE, 4, AffinityLevel.CORE));
            }
            List<String> theirs = new ArrayList<>();
            for (Process holder : holders) {
                theirs.add(holder.inputReader().readLine());
            }
            List<String> blocks = List.of("0-7", "8-15", "16-23", "24-31");
            assertEquals(3, new HashSet<>(theirs).size(), theirs.toString());
            assertTrue(blocks.containsAll(theirs), theirs.toString());
            try (Topology topology = Topology.builder().synthetic(MACHINE).load()) {
                CpuShare mine = CpuShare.claim(topology, topology.cpuset(), folder, 4, AffinityLevel.PU);
                assertEquals(
                        1,
                        blocks.stream()
                                .filter(block -> !theirs.contains(block))
                                .filter(block -> mine.wasFree().toList().equals(block))
                                .count());
                assertEquals(4, mine.cpuset().weight());
                // This process has four siblings left, which are no whole core.
                assertEquals(
                        List.of(),
                        CpuShare.claim(topology, topology.cpuset(), folder, 1, AffinityLevel.CORE)
                                .places());
                holders.get(1).destroyForcibly().waitFor();
                CpuShare heir = CpuShare.claim(topology, topology.cpuset(), folder, 4, AffinityLevel.CORE);
                assertEquals(theirs.get(1), heir.cpuset().toList());
                // That second look must not have cost this process its first locks.
                Process late = ShareHolder.start(folder, MACHINE, 5, AffinityLevel.PU);
                holders.add(late);
                assertEquals("", late.inputReader().readLine());
                mine.close();
                heir.close();
                heir.close();
                assertEquals(
                        theirs.get(1),
                        CpuShare.claim(topology, Bitmap.parseList(theirs.get(1)), folder, 4, AffinityLevel.CORE)
                                .cpuset()
                                .toList());
            }
        } finally {
            for (Process holder : holders) {
                holder.destroyForcibly().waitFor();
            }
        }
        assertEquals("rwxrwxrwx", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)));
        assertEquals(01777, (Integer) Files.getAttribute(folder, "unix:mode") & 07777);
        assertEquals(
                "rw-rw-rw-",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("cpu-0.lock"))));
    }

    @Test
    void whatOthersHaveLaidThereIsLeft() throws Exception {
        Path folder = Files.createDirectories(scratch.resolve("cpus"));
        Path precious = Files.writeString(scratch.resolve("precious"), "x");
        Files.createSymbolicLink(folder.resolve("cpu-0.lock"), precious);
        Files.createDirectory(folder.resolve("cpu-1.lock"));
        assertEquals(
                0,
                new ProcessBuilder("mkfifo", folder.resolve("cpu-4.lock").toString())
                        .start()
                        .waitFor());
        try (Topology topology = Topology.builder().synthetic("core:5 pu:1").load()) {
            try (CpuShare share = CpuShare.claim(topology, topology.cpuset(), folder, 2, AffinityLevel.PU)) {
                assertEquals("2-3", share.cpuset().toList());
            }
            assertEquals("x", Files.readString(precious));
            Path file = scratch.resolve("precious");
            assertThrows(
                    IOException.class, () -> CpuShare.claim(topology, topology.cpuset(), file, 1, AffinityLevel.PU));
            assertThrows(
                    HwlocException.class,
                    () -> CpuShare.claim(topology, topology.cpuset(), folder, 1, AffinityLevel.NONE));
        }
    }

    /** Only root can make a folder of another user. */
    @Test
    void aFolderOfSomebodyElseIsRefused() throws Exception {
        Path folder = Files.createDirectory(scratch.resolve("theirs"));
        Path link = Files.createSymbolicLink(scratch.resolve("link"), Files.createDirectory(scratch.resolve("target")));
        try (Topology topology = Topology.builder().synthetic("core:2 pu:1").load()) {
            String why = assertThrows(
                            IOException.class,
                            () -> CpuShare.claim(topology, topology.cpuset(), link, 1, AffinityLevel.PU))
                    .getMessage();
            assertTrue(
                    why.startsWith("processors: expected " + link + " to be a folder of root or of user ")
                            && why.contains("found a link or a file. Do let root make it"),
                    why);
            assertEquals(0, scratch.resolve("target").toFile().list().length);
            boolean root = Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
            assertTrue(root || !"true".equals(System.getenv("CI")), "CI runs as root");
            assumeTrue(root, "root alone can give a folder away");
            Files.setAttribute(folder, "unix:uid", 65534);
            why = assertThrows(
                            IOException.class,
                            () -> CpuShare.claim(topology, topology.cpuset(), folder, 1, AffinityLevel.PU))
                    .getMessage();
            assertTrue(
                    why.contains("found one of user 65534. Do let root make it, by rm -r " + folder
                            + " and install -d -m 1777 " + folder),
                    why);
        }
    }

    /** To lock and close a file by another name of it would give up what this process has locked there. */
    @Test
    void aFileWithAnotherNameIsNotOpened() throws Exception {
        Path folder = Files.createDirectory(scratch.resolve("cpus"));
        Path mine = Files.createFile(scratch.resolve("mine"));
        try (FileChannel held = FileChannel.open(mine, StandardOpenOption.WRITE);
                Topology topology = Topology.builder().synthetic("core:2 pu:1").load()) {
            assertNotNull(held.tryLock());
            Files.createLink(folder.resolve("cpu-0.lock"), mine);
            try (CpuShare share = CpuShare.claim(topology, topology.cpuset(), folder, 1, AffinityLevel.PU)) {
                assertEquals("1", share.cpuset().toList());
            }
            Object inode = Files.getAttribute(mine, "unix:ino");
            assertTrue(
                    Files.readAllLines(Path.of("/proc/locks")).stream()
                            .anyMatch(line ->
                                    line.contains(" " + ProcessHandle.current().pid() + " ")
                                            && line.contains(":" + inode + " ")),
                    "its lock is held");
        }
    }
}
