// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * Which shared memory files a sweep takes for nobody's. The holders are real processes, and a sweep runs in a PID
 * namespace that does not show them.
 */
class MpichLeftoversTest {
    /** The file gets its name when it is held, so that no other sweep on this host finds it before. */
    private static final String HOLD = "import mmap, os, sys\n"
            + "unnamed = '/dev/shm/sparkgap-test-' + str(os.getpid())\n"
            + "f = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)\n"
            + "os.ftruncate(f, 4096)\n"
            + "m = mmap.mmap(f, 4096) if sys.argv[2] != 'open' else None\n"
            + "os.rename(unnamed, sys.argv[1])\n"
            + "if m: os.close(f)\n"
            + "print('held', flush=True)\n"
            + "sys.stdin.read()\n";

    private final Path file = Path.of(
            "/dev/shm/mpich_shm_sparkgap-test-" + ProcessHandle.current().pid());
    private final FileTime before = FileTime.from(Instant.now().minusSeconds(5));
    private final List<Process> holders = new ArrayList<>();

    @AfterEach
    void clean() throws Exception {
        for (Process holder : holders) {
            holder.getOutputStream().close();
            holder.waitFor();
        }
        Files.deleteIfExists(file);
    }

    private Process hold(String how) throws Exception {
        Process holder = new ProcessBuilder("python3", "-I", "-S", "-c", HOLD, file.toString(), how)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        holders.add(holder);
        assertEquals("held", holder.inputReader().readLine());
        return holder;
    }

    private void staysUntilItEnds(Process holder, Sweep sweep) throws Exception {
        sweep.run();
        assertTrue(Files.exists(file), "a process has it open");
        holder.getOutputStream().close();
        holder.waitFor();
        sweep.run();
        assertFalse(Files.exists(file), "nobody has it any more");
    }

    private interface Sweep {
        void run() throws Exception;
    }

    /** A sweep in another process. */
    static final class Sweeper {
        private Sweeper() {}

        public static void main(String[] args) {
            MpichLeftovers.sweep(FileTime.fromMillis(Long.parseLong(args[0])));
        }
    }

    @Test
    void whatARankHasMappedOrOpenStays() throws Exception {
        staysUntilItEnds(hold("map"), () -> MpichLeftovers.sweep(before));
        staysUntilItEnds(hold("open"), () -> MpichLeftovers.sweep(before));
    }

    @Test
    void whatADyingRankStillHasIsWaitedFor() throws Exception {
        Process holder = hold("map");
        FileLease none = FileLease.take(file);
        assertNull(none, "it is held");
        Thread end = new Thread(() -> {
            LockSupport.parkNanos(100_000_000);
            holder.destroyForcibly();
        });
        end.start();
        MpichLeftovers.sweepAfterKill(before);
        assertFalse(Files.exists(file));
        end.join();
    }

    /** As an executor in a container that shares /dev/shm with others. */
    @Test
    void whatARankHasThatNoProcOfOursShowsStays() throws Exception {
        Object me = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        if (!me.equals(0)) {
            if ("true".equals(System.getenv("CI"))) {
                throw new AssertionError(
                        "this test needs root for a PID namespace, and CI=true forbids leaving it out");
            }
            Assumptions.abort("not run: this test needs root for a PID namespace");
        }
        staysUntilItEnds(hold("map"), () -> {
            String java =
                    Path.of(System.getProperty("java.home"), "bin", "java").toString();
            Process sweeper = new ProcessBuilder(
                            "unshare",
                            "--pid",
                            "--fork",
                            "--mount-proc",
                            java,
                            "-Xmx64m",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Sweeper.class.getName(),
                            Long.toString(before.toMillis()))
                    .redirectErrorStream(true)
                    .start();
            String said = new String(sweeper.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, sweeper.waitFor(), said);
        });
    }

    @Test
    void whatIsOlderThanTheJobStays() throws Exception {
        Files.write(file, new byte[4096]);
        MpichLeftovers.sweep(FileTime.from(Instant.now().plusSeconds(60)));
        assertTrue(Files.exists(file));
    }
}
