// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records of rank ends as failing jobs leave them, and the one that is blamed. */
class FirstCauseTest {
    @TempDir
    Path directory;

    private int clock;

    @BeforeEach
    void logs() throws Exception {
        for (int rank = 0; rank < 3; rank++) {
            Files.writeString(
                    directory.resolve("rank-" + rank + ".log"), "first line\nlast line of rank " + rank + "\n");
        }
    }

    @Test
    void aCrashComesBeforeWhateverItCaused() throws Exception {
        error(0, 5, "rank 0 lost its peer");
        exit(0, 5, 0);
        exit(1, 0, 11);
        exit(2, 0, 9);
        JobException e = cause(9);
        assertEquals(
                "[SPARKGAP {\"code\":5,\"rank\":1,\"host\":\"node1\",\"signal\":11}] rank 1 on host node1: expected "
                        + "exit 0, found signal 11 (SIGSEGV). "
                        + "Do look at the log lines below and run again.\nfirst line\nlast line of rank 1",
                e.getMessage());
    }

    @Test
    void aKillBeforeTheCrashOfAPeerIsBlamed() throws Exception {
        exit(2, 0, 9);
        exit(1, 0, 11);
        JobException e = cause(9);
        assertEquals(2, e.rank());
        assertEquals(9, e.signal());
    }

    /** MPI may crash where its peer was killed, and records of two hosts may be in the wrong order. */
    @Test
    void aKillFromOutsideIsBlamedForTheCrashOfAPeer() throws Exception {
        exit(1, 0, 11);
        exit(0, 0, 15, true);
        exit(2, 0, 9, false);
        JobException e = cause(9);
        assertEquals(2, e.rank());
        assertEquals(9, e.signal());
    }

    @Test
    void aCrashIsBlamedForTheAbortOfAPeer() throws Exception {
        exit(0, 0, 6);
        exit(1, 0, 11);
        exit(2, 0, 9);
        assertEquals(1, cause(9).rank());
    }

    @Test
    void theEarliestKillIsBlamed() throws Exception {
        exit(2, 0, 9);
        exit(0, 0, 15);
        exit(1, 0, 9);
        JobException e = cause(9);
        assertEquals(2, e.rank());
        assertEquals(9, e.signal());
    }

    @Test
    void badDataComesBeforeThePeersThatWereKilledForIt() throws Exception {
        exit(0, 0, 9);
        error(1, 3, "edges.src: expected no nulls, found 1. Do filter them.");
        exit(1, 3, 0);
        JobException e = cause(3);
        assertEquals("[SPARKGAP {\"code\":3}] edges.src: expected no nulls, found 1. Do filter them.", e.getMessage());
        assertNull(e.rank());
    }

    @Test
    void anExitThatTheContractDoesNotKnowIsABug() throws Exception {
        exit(1, 42, 0);
        JobException e = cause(42);
        assertEquals(70, e.code());
        assertTrue(
                e.text().startsWith("rank 1 on host node1: expected exit 0, found exit 42 (last line of rank 1)."),
                e.text());
        exit(1, 127, 0);
        assertEquals(5, cause(127).code());
    }

    @Test
    void aFullDeviceThatLeavesNoRoomForTheErrorIsNamed() throws Exception {
        exit(1, 4, 0);
        exit(0, 0, 9);
        assertEquals(
                "[SPARKGAP {\"code\":4,\"rank\":1,\"host\":\"node1\"}] files of the program on host node1: expected "
                        + "room for what it writes, found a full device "
                        + "(rank 1 on host node1: expected exit 0, found exit 4 (last line of rank 1). Do look at "
                        + "the program's log). "
                        + "Do drop tables, or choose a larger device with spark.sparkgap.store.dir.",
                cause(4).getMessage());
        Files.writeString(directory.resolve("full"), "/dev/shm/sparkgap-0 on host 10.0.0.3");
        assertTrue(
                cause(4).text()
                        .startsWith("files of the program at /dev/shm/sparkgap-0 on host 10.0.0.3: expected room"),
                cause(4).text());
        error(1, 4, "/dev/shm: expected room to write 8 bytes, found none. Free some.");
        assertEquals("/dev/shm: expected room to write 8 bytes, found none. Free some.", cause(4).text());
    }

    @Test
    void aGuardThatWasKilledLeavesNoRecord() throws Exception {
        exit(0, 0, 0);
        exit(2, 0, 0);
        JobException e = cause(9);
        assertEquals(1, e.rank());
        assertTrue(e.text().contains("expected a record of its end, found none"), e.text());
    }

    @Test
    void withoutAnyRankTheLauncherIsQuoted() throws Exception {
        Files.delete(directory.resolve("rank-0.log"));
        Files.writeString(directory.resolve("launcher.log"), "[mpiexec@node1] no such host\n");
        JobException e = cause(255);
        assertEquals(5, e.code());
        assertTrue(
                e.text()
                        .startsWith("launch of degree: expected mpiexec to end with 0, found exit 255 before any rank "
                                + "ended. Do look"),
                e.text());
        assertEquals(List.of("[mpiexec@node1] no such host"), e.logTail());
    }

    /** MPI may crash in a rank whose peers are gone already. */
    @Test
    void aKilledLauncherIsBlamedForWhatRanksDieOf() throws Exception {
        exit(0, 0, 11);
        exit(1, 0, 9);
        JobException e = cause(137);
        assertNull(e.rank());
        assertEquals(9, e.signal());
        assertTrue(
                e.text().startsWith("launch of degree: expected mpiexec to end with 0, found signal 9 (SIGKILL). Do "),
                e.text());
        assertEquals(0, cause(11).rank());
        exit(2, 137, 0);
        assertEquals(0, cause(137).rank(), "mpiexec passes on what a rank ends with");
        exit(2, 0, 9, false);
        assertEquals(2, cause(137).rank(), "what kills many processes at once kills mpiexec too");
    }

    @Test
    void onlyTheLastLinesOfALogAreTold() throws Exception {
        StringBuilder log = new StringBuilder();
        for (int i = 0; i < 100_000; i++) {
            log.append("line ").append(i).append('\n');
        }
        Files.writeString(directory.resolve("rank-1.log"), log);
        exit(1, 0, 6);
        assertEquals(20, cause(134).logTail().size());
        assertEquals("line 99999", cause(134).logTail().get(19));
    }

    /** A proxy that ends while it cleans up behind a rank is no cause. */
    @Test
    void whatAProxyDoesNotDoToRanks() throws Exception {
        exit(0, 0, 9);
        exit(1, 0, 6);
        error(2, 5, "rank 2 lost its peer");
        exit(2, 5, 0);
        assertFalse(FirstCause.isARank(new JobFolder(directory), job()), "all may have lost their proxy");
        exit(0, 0, 9, false);
        assertTrue(FirstCause.isARank(new JobFolder(directory), job()));
        exit(0, 0, 9);
        error(1, 3, "edges.src: expected no nulls, found 1. Do filter them.");
        assertTrue(FirstCause.isARank(new JobFolder(directory), job()));
    }

    private JobException cause(int status) {
        return FirstCause.of(new JobFolder(directory), job(), status);
    }

    private Job job() {
        Program program = new Program("degree", Path.of("/k/sparkgap-degree"), Path.of("/k/sparkgap-rank"));
        return new Job(
                "7",
                program,
                directory,
                1,
                List.of("node1", "node1", "node1"),
                Map.of(),
                Map.of(),
                1 << 20,
                Duration.ofSeconds(5));
    }

    /** Each record is a second younger than the one before. */
    private void exit(int rank, int code, int signal) throws Exception {
        exit(rank, code, signal, true);
    }

    private void exit(int rank, int code, int signal, boolean asked) throws Exception {
        Path file = directory.resolve("exit-" + rank + ".json");
        Files.writeString(
                file,
                "{\"rank\": " + rank + ", \"code\": " + code + ", \"signal\": " + signal + ", \"asked\": " + asked
                        + ", \"host\": \"node1\", \"pid\": 77}");
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_700_000_000_000L + 1000L * clock++));
    }

    private void error(int rank, int code, String message) throws Exception {
        Files.writeString(
                directory.resolve("error-" + rank + ".json"),
                "{\"code\": " + code + ", \"message\": \"" + message + "\"}");
    }
}
