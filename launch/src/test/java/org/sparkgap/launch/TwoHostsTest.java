// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sparkgap.store.SparkGapException;

/**
 * Real mpiexec, proxies, guards and ranks of two "hosts" that are both this one; what an agent says can be held back,
 * as when its cable is cut.
 */
@Timeout(120)
class TwoHostsTest {
    private static final String RANK = "rank=${PMI_RANK:-0}\necho rank $rank here\n";
    private static final Duration SILENCE = Duration.ofSeconds(3);

    @TempDir
    Path scratch;

    @BeforeEach
    void folders() throws Exception {
        for (String name : List.of("jobs", "jobs/0", "jobs/1", "out")) {
            Files.createDirectory(scratch.resolve(name));
        }
    }

    @Test
    void aRankThatFailsEndsTheOthers() throws Exception {
        JobException e =
                fails(RANK + "if [ $rank = 1 ]; then kill -9 $$; fi\nsleep 60\n", 60, host -> false, host -> true);
        assertEquals(1, e.rank(), e.getMessage());
        assertEquals(9, e.signal());
        assertEquals(List.of("rank 1 here"), e.logTail());
    }

    @Test
    void aSilentHostIsLostAlsoWhereARankElsewhereFailsFirst() throws Exception {
        JobException e = fails(
                RANK + "if [ $rank = 0 ]; then sleep 0.5; exit 5; fi\nsleep 60\n", 60, host -> host == 1, host -> true);
        assertEquals(LostHostException.class, e.getClass());
        assertEquals("two", e.host());
        assertTrue(
                e.text()
                        .startsWith(
                                "agent on host two: expected it to live as long as the job, found no word for 3 s."),
                e.text());
    }

    @Test
    void aHostThatHasNoExecutorLeftIsNotWaitedFor() throws Exception {
        JobException e = fails(RANK + "sleep 60\n", 60, host -> false, host -> host == 0);
        assertEquals(LostHostException.class, e.getClass());
        assertTrue(e.text().contains("found that its executors have ended."), e.text());
    }

    @Test
    void theDeadlineEndsAllHosts() throws Exception {
        JobException e = fails(RANK + "trap '' TERM INT\nsleep 60\n", 2, host -> false, host -> true);
        assertEquals(StoppedException.class, e.getClass());
        assertTrue(e.text().contains("expected the job to end within 2.0 s"), e.text());
    }

    /**
     * The exception of a job with two ranks on host one and one on host two; it comes well before the ranks would end.
     *
     * @param falls whether a host falls silent when its ranks have started
     * @param has whether a host has executors
     */
    private JobException fails(String body, int timeoutSeconds, IntPredicate falls, IntPredicate has) throws Exception {
        Path script = scratch.resolve("program.sh");
        Files.writeString(script, "#!/bin/sh\n" + body);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        Program program = new Program("script", script, Native.guard());
        Job job = new Job(
                "j",
                program,
                scratch.resolve("jobs/j"),
                1,
                List.of("one", "one", "two"),
                Map.of(),
                Map.of(),
                1 << 20,
                Duration.ofSeconds(timeoutSeconds));
        long start = System.nanoTime();
        try (RunningJob running = Jobs.begin("script")) {
            Agents agents = new ThreadAgents(
                    job, Native.mpi(), RankCpus.NONE, host -> scratch.resolve("jobs/" + host + "/j"), falls, has);
            JobException e = assertThrows(
                    JobException.class, () -> JobRun.run(job, Native.mpi(), running, agents, "127.0.0.1", SILENCE));
            assertEquals(SparkGapException.LOST, e.code());
            assertTrue((System.nanoTime() - start) / 1e9 < 20, e.text());
            return e;
        }
    }
}
