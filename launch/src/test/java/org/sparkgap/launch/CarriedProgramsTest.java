// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sparkgap.store.SparkGapException;

/** A "jar" is a folder on a class loader's path, and its guard a script that answers. */
class CarriedProgramsTest {
    private static final String GUARD = "#!/bin/sh\nexit 0\n";

    @TempDir
    private Path folder;

    private Path place;
    private CarriedPrograms carried;

    @BeforeEach
    void carry() throws Exception {
        place = folder.resolve("place");
        carried = carrying(folder.resolve("jar"), GUARD);
    }

    private static CarriedPrograms carrying(Path jar, String guard) throws Exception {
        Path root = jar.resolve(CarriedPrograms.ROOT).resolve("x86_64");
        String index = entry(root, "sparkgap-rank", guard, "x") + entry(root, "mpi/lib/lib one.so", "library", "-");
        Files.writeString(root.resolve(CarriedPrograms.INDEX), index);
        return CarriedPrograms.of(new URLClassLoader(new URL[] {jar.toUri().toURL()}, null), "amd64");
    }

    private static String entry(Path root, String path, String content, String mode) throws Exception {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
        byte[] sum = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
        return HexFormat.of().formatHex(sum) + " " + mode + " " + Files.size(file) + " " + path + "\n";
    }

    private Path unpacked() {
        return carried.unpacked(List.of(place));
    }

    private String refusal() {
        return assertThrows(SparkGapException.class, this::unpacked).text();
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void filesAreOursAndNobodyElseWritesThem() throws Exception {
        Path made = unpacked();
        assertEquals(GUARD, Files.readString(made.resolve("sparkgap-rank")));
        assertEquals("library", Files.readString(made.resolve("mpi/lib/lib one.so")));
        for (Path private_ : List.of(made, made.getParent(), made.resolve("mpi"), made.resolve("sparkgap-rank"))) {
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(private_)));
        }
        assertEquals(
                "rw-------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(made.resolve("mpi/lib/lib one.so"))));
        assertEquals(1, names(made.getParent()).size(), "nothing else is left");
    }

    @Test
    void theNextProcessUsesThem() throws Exception {
        Path made = unpacked();
        FileTime time = FileTime.fromMillis(1_000_000);
        Files.setLastModifiedTime(made.resolve("sparkgap-rank"), time);
        assertEquals(made, unpacked());
        assertEquals(time, Files.getLastModifiedTime(made.resolve("sparkgap-rank")), "it was not written again");
    }

    @Test
    void whatWasChangedIsMadeAgain() throws Exception {
        Path guard = unpacked().resolve("sparkgap-rank");
        Files.writeString(guard, GUARD.replace("exit 0", "exit 5")); // of the same length
        unpacked();
        assertEquals(GUARD, Files.readString(guard));
        Files.delete(guard);
        unpacked();
        assertTrue(Files.isExecutable(guard));
        Files.setPosixFilePermissions(guard, PosixFilePermissions.fromString("rwxrwxrwx"));
        unpacked();
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(guard)));
    }

    @Test
    void anotherContentHasAnotherFolder() throws Exception {
        Path made = unpacked();
        Path other = carrying(folder.resolve("newer"), GUARD + "# newer\n").unpacked(List.of(place));
        assertNotEquals(made, other);
        assertEquals(2, names(made.getParent()).size());
    }

    @Test
    void manyProcessesAtOnceMakeOne() {
        Set<Path> made = ConcurrentHashMap.newKeySet();
        IntStream.range(0, 16).parallel().forEach(i -> made.add(unpacked()));
        assertEquals(1, made.size());
        assertEquals(1, assertNames(made.iterator().next().getParent()));
    }

    private static int assertNames(Path folder) {
        try {
            return names(folder).size();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aPlaceThatOthersCanWriteToIsRefused() throws Exception {
        Path own = unpacked().getParent();
        Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertEquals(
                "launch: expected a folder where the jar's programs can be unpacked and run, found " + place
                        + " has " + own + " with a mode other than rwx------. Do set spark.local.dir to one with 0 MiB "
                        + "free, and not mounted noexec.",
                refusal());
    }

    @Test
    void somethingInTheWayIsRefused() throws Exception {
        Path own = unpacked().getParent();
        Path elsewhere = Files.move(own, folder.resolve("elsewhere"));
        Files.createSymbolicLink(own, elsewhere);
        assertTrue(refusal().contains("has something at " + own + " that is no folder"), refusal());
        Files.delete(own);
        Files.delete(place);
        Files.writeString(place, "a file");
        assertTrue(refusal().contains("found " + place), refusal());
    }

    @Test
    void theNextPlaceIsTriedAndAllReasonsAreSaid() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "");
        assertEquals(place, carried.unpacked(List.of(file, place)).getParent().getParent());
        String said = assertThrows(
                        SparkGapException.class, () -> carried.unpacked(List.of(file, file.resolve("below"))))
                .text();
        assertTrue(said.contains("found " + file) && said.contains("; " + file.resolve("below")), said);
    }

    @Test
    void aHostThatCannotRunThemIsToldWhy() throws Exception {
        carried = carrying(
                folder.resolve("old"), "#!/bin/sh\necho 'libc.so.6: version GLIBC_2.99 not found' >&2; exit 1\n");
        assertTrue(refusal().contains("cannot run (libc.so.6: version GLIBC_2.99 not found)"), refusal());
        carried = carrying(folder.resolve("foreign"), "#!/no/such/loader\n");
        assertTrue(refusal().contains("does not let programs run ("), refusal());
    }

    @Test
    void aJarThatIsDamagedIsRefused() throws Exception {
        Path root = folder.resolve("jar").resolve(CarriedPrograms.ROOT).resolve("x86_64");
        Files.writeString(root.resolve("sparkgap-rank"), GUARD.replace("exit 0", "exit 7"));
        assertTrue(refusal().contains("got a damaged sparkgap-rank from the jar"), refusal());
        assertEquals(List.of(), names(place.resolve(names(place).get(0))), "nothing is left");
    }

    @Test
    void whatKilledProcessesLeftGoes() throws Exception {
        Path own = unpacked().getParent();
        Path left = Files.createDirectory(own.resolve(".aside-1"));
        Files.writeString(left.resolve("sparkgap-rank"), "half");
        Files.setLastModifiedTime(left, FileTime.fromMillis(0));
        Path fresh = Files.createDirectory(own.resolve(".aside-2"));
        carrying(folder.resolve("newer"), GUARD + "# newer\n").unpacked(List.of(place));
        assertFalse(Files.exists(left));
        assertTrue(Files.exists(fresh), "somebody may be writing it");
    }

    @Test
    void aJarWithoutProgramsForThisMachineHasNone() {
        assertNull(CarriedPrograms.of(new URLClassLoader(new URL[0], null), "amd64"));
        assertNull(CarriedPrograms.of(getClass().getClassLoader(), "riscv64"));
    }
}
