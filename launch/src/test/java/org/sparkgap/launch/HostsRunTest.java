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
class HostsRunTest {
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
                scratch.resolve("out"),
                1 << 20,
                Duration.ofSeconds(timeoutSeconds));
        long start = System.nanoTime();
        try (RunningJob running = Jobs.begin("script");
                TwoAgents agents = new TwoAgents(program, falls, has)) {
            JobException e = assertThrows(
                    JobException.class, () -> HostsRun.run(job, Native.mpi(), running, agents, "127.0.0.1", SILENCE));
            assertEquals(SparkGapException.LOST, e.code());
            assertTrue((System.nanoTime() - start) / 1e9 < 20, e.text());
            return e;
        }
    }

    private final class TwoAgents implements Agents, AutoCloseable {
        private final Program program;
        private final IntPredicate falls;
        private final IntPredicate has;
        private final HostAgent[] agents = new HostAgent[2];
        private final HostReport[] said = new HostReport[2];
        private final long[] heard = {System.nanoTime(), System.nanoTime()};

        TwoAgents(Program program, IntPredicate falls, IntPredicate has) {
            this.program = program;
            this.falls = falls;
            this.has = has;
        }

        @Override
        public void gather() {}

        @Override
        public void start(List<HostPart> parts) {
            for (int host = 0; host < 2; host++) {
                if (has.test(host)) {
                    agents[host] = HostAgent.start(
                            parts.get(host),
                            scratch.resolve("jobs/" + host + "/j"),
                            scratch.resolve("out"),
                            Map.of(),
                            program,
                            Native.mpi(),
                            "127.0.0.1",
                            RankCpus.NONE);
                }
            }
        }

        @Override
        public HostReport report(int host) {
            boolean silent = falls.test(host) && said[host] != null && said[host].started();
            if (agents[host] != null && !silent) {
                said[host] = agents[host].report();
                heard[host] = System.nanoTime();
            }
            return said[host];
        }

        @Override
        public long silentSince(int host) {
            return heard[host];
        }

        @Override
        public long clockAhead(int host) {
            return 0;
        }

        @Override
        public boolean deserted(int host) {
            return !has.test(host);
        }

        @Override
        public String lost() {
            return null;
        }

        @Override
        public boolean cancelled() {
            return false;
        }

        @Override
        public void await(long millis) throws InterruptedException {
            Thread.sleep(millis);
        }

        @Override
        public void close() {
            for (HostAgent agent : agents) {
                if (agent != null) {
                    agent.close();
                }
            }
        }
    }
}
