// Copyright 2026 the sparkgap authors. Over 400 lines: every end that a job can have, on the same few programs.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sparkgap.store.SparkGapException;
import org.sparkgap.topology.Bitmap;
import org.sparkgap.topology.ProcessLimits;

/** Real guards, real mpiexec, real signals; the programs are small shell scripts that know their rank from mpiexec. */
@Timeout(120)
class JobRunTest {
    private static final String RANK = "rank=${PMI_RANK:-0}\n";
    private static final String DONE =
            "echo '{\"rank\": '$rank', \"rows\": 0, \"schema\": [{\"name\": \"id\", \"type\": \"bigint\", "
                    + "\"nullable\": false}], \"segments\": [], "
                    + "\"seconds\": {\"build\": 0.1, \"compute\": 0.2, \"write\": 0.3}, \"peak_rss_bytes\": 1000, "
                    + "\"iterations\": 7, \"converged\": true, \"residual\": 0.5}' "
                    + "> $SPARKGAP_JOB/done-$rank.json\n";

    @TempDir
    Path scratch;

    private int jobs;

    @BeforeEach
    void folders() throws Exception {
        Files.createDirectory(scratch.resolve("jobs"));
        Files.createDirectory(scratch.resolve("out"));
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        try (Stream<Path> left = Files.list(scratch.resolve("jobs"))) {
            assertEquals(
                    List.of(),
                    left.filter(folder -> !folder.toString().endsWith(KeptLogs.ENDING))
                            .toList(),
                    "job folders");
        }
        assertEquals(List.of(), processesNaming(scratch.toString()), "processes");
    }

    @Test
    void aProgramThatKeepsTheContractSucceeds() throws Exception {
        for (int ranks : new int[] {1, 3}) {
            JobResult result = run(
                    RANK + "[ \"$OMP_NUM_THREADS\" = 2 ] || exit 2\n[ -d \"$TMPDIR\" ] || exit 2\n" + DONE, ranks, 60);
            assertEquals(7, result.iterations());
            assertEquals(0.2, result.computeSeconds());
            assertEquals(1000L * ranks, result.peakRssBytes());
        }
    }

    @Test
    void ranksRunWhereTheyShall() throws Exception {
        String all = ProcessLimits.read().allowedCpus().toString();
        Bitmap cpus = Bitmap.parseList(all);
        Bitmap first = Bitmap.of(cpus.first());
        Bitmap last = Bitmap.of(cpus.last());
        String look = "grep -o 'Cpus_allowed_list.*' /proc/self/status | cut -f2; echo $OMP_PLACES $OMP_PROC_BIND";
        String places = "{" + first.toList() + "},{" + last.toList() + "}";
        for (int ranks : new int[] {1, 2}) {
            assertEquals(all + "\nfalse\n", said(look, ranks, RankCpus.NONE).get(ranks - 1), "unbound");
            List<Bitmap> twoThreads = ranks == 1 ? List.of(first, last) : List.of(first, first, first, last);
            List<String> said = said(look, ranks, new RankCpus(twoThreads, 2));
            assertEquals(first.or(last).toList() + "\n" + places + " close\n", said.get(ranks - 1));
        }
        assertEquals(
                first.toList() + "\n{" + first.toList() + "} close\n",
                said(look, 2, new RankCpus(List.of(first, last), 1)).get(0));
    }

    /** What each rank of a user's program prints. */
    private List<String> said(String body, int ranks, RankCpus cpus) throws Exception {
        Job job = own(body + "\n", ranks);
        try (RunningJob running = Jobs.begin(job.program().name())) {
            run(job, ranks > 1 ? Native.mpi() : null, running, cpus);
        }
        List<String> found = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            found.add(Files.readString(scratch.resolve("logs").resolve("rank-" + rank + ".log")));
        }
        return found;
    }

    @Test
    void aRankThatIsKilledIsNamed() throws Exception {
        for (int ranks : new int[] {1, 3}) {
            int victim = ranks - 1;
            JobException e = fails(
                    RANK + "echo rank $rank here\nif [ $rank = " + victim + " ]; then kill -9 $$; fi\nsleep 60\n",
                    ranks,
                    60);
            assertEquals(SparkGapException.LOST, e.code());
            assertEquals(victim, e.rank());
            assertEquals(9, e.signal());
            assertTrue(e.text().startsWith("rank " + victim + " on host "), e.text());
            assertTrue(
                    e.text()
                            .contains(": expected exit 0, found signal 9 (SIGKILL). Do look at the log lines below and "
                                    + "run again."),
                    e.text());
            assertEquals(List.of("rank " + victim + " here"), e.logTail());
            assertEquals("rank " + victim + " here\n", Files.readString(e.logs().resolve("rank-" + victim + ".log")));
            assertTrue(e.text().contains(" The ranks' logs are in " + e.logs() + "."), e.text());
        }
    }

    @Test
    void logsAreKeptOfTheLastFailuresOnly() throws Exception {
        for (int i = 0; i < 20; i++) {
            fails("echo " + i + "\nexit 70\n", 1, 60);
        }
        try (Stream<Path> left = Files.list(scratch.resolve("jobs"))) {
            assertEquals(16, left.count());
        }
        assertEquals("19\n", Files.readString(scratch.resolve("jobs/j19" + KeptLogs.ENDING + "/rank-0.log")));
    }

    @Test
    void aCrashIsTheCauseAlsoWhenOthersDieOfIt() throws Exception {
        JobException e = fails(
                RANK + here() + "if [ $rank = 1 ]; then while [ ! -e " + here(0) + " -o ! -e " + here(2)
                        + " ]; do sleep 0.02; done; kill -SEGV $$; fi\nsleep 60\n",
                3,
                60);
        assertEquals(1, e.rank());
        assertEquals(11, e.signal());
    }

    @Test
    void theProgramsOwnWordsAreTold() throws Exception {
        String body = RANK
                + "if [ $rank = 0 ]; then echo '{\"code\": 3, \"message\": \"edges.src: expected no nulls, found 2. "
                + "Do filter them.\"}' > $SPARKGAP_JOB/error-0.json; exit 3; fi\nsleep 60\n";
        for (int ranks : new int[] {1, 2}) {
            JobException e = fails(body, ranks, 60);
            assertEquals(
                    "[SPARKGAP {\"code\":3}] edges.src: expected no nulls, found 2. Do filter them.", e.getMessage());
        }
    }

    @Test
    void theDeadlineEndsEverything() throws Exception {
        for (int ranks : new int[] {1, 2}) {
            JobException e;
            int seconds = 1;
            do { // a deadline that comes before the program has begun comes too early
                seconds *= 2;
                e = fails(
                        RANK
                                + "trap '' TERM INT\necho '{\"phase\": \"compute\", \"iteration\": 3, \"of\": 20}' "
                                + ">> $SPARKGAP_JOB/progress.jsonl\n(sleep 500; sleep 500) & sleep 600\n",
                        ranks,
                        seconds);
                assertEquals(SparkGapException.LOST, e.code());
                assertTrue(
                        e.text().contains("expected the job to end within " + seconds + ".0 s, found it running"),
                        e.text());
            } while (!e.text().contains("(phase compute, iteration 3)") && seconds < 100);
            assertTrue(e.text().contains("(phase compute, iteration 3)"), e.text());
        }
    }

    @Test
    void aProgramThatSaysNothingSucceedsByItsExit() throws Exception {
        for (int ranks : new int[] {1, 2}) {
            JobResult result = run(
                    own(
                            "[ \"$1\" = 'a b' ] && [ \"$2\" = '{x}' ] && [ \"$COLOUR\" = red ] || exit 9\necho said "
                                    + "$3\n",
                            ranks),
                    Native.mpi());
            assertEquals(List.of(), result.segments());
            for (int rank = 0; rank < ranks; rank++) {
                assertEquals(
                        "said r" + rank + "\n",
                        Files.readString(scratch.resolve("logs").resolve("rank-" + rank + ".log")));
            }
        }
    }

    @Test
    void anExitOfSuchAProgramIsNoErrorCodeOfOurs() throws Exception {
        Job job = own(RANK + "echo rank $rank\nif [ $rank = 1 ]; then exit 3; fi\nsleep 60\n", 2);
        JobException e = assertThrows(JobException.class, () -> run(job, Native.mpi()));
        assertEquals(SparkGapException.LOST, e.code());
        assertEquals(1, e.rank());
        assertTrue(e.text().contains("expected exit 0, found exit 3."), e.text());
        assertEquals(List.of("rank 1"), e.logTail());
    }

    @Test
    void aProgramThatReportsOnOneRankMustOnAll() throws Exception {
        Job job = own(RANK + "if [ $rank = 0 ]; then\n" + DONE + "fi\n", 2);
        JobException e = assertThrows(JobException.class, () -> run(job, Native.mpi()));
        assertTrue(e.text().contains("expected a sound done-1.json"), e.text());
    }

    @Test
    void anInterruptEndsEverything() throws Exception {
        Thread caller = Thread.currentThread();
        Thread interrupter = new Thread(() -> {
            while (!Files.exists(Path.of(here(0))) || !Files.exists(Path.of(here(1)))) {
                Thread.onSpinWait();
            }
            caller.interrupt();
        });
        interrupter.setDaemon(true);
        interrupter.start();
        JobException e = fails(RANK + here() + "sleep 60\n", 2, 60);
        assertTrue(Thread.interrupted(), "the interrupt stays set");
        assertTrue(e.text().contains("that it was cancelled"), e.text());
    }

    /** With one byte he makes mpiexec wait for the rest of a word: it hears of nothing any more, and never ends. */
    @Test
    void aStrangerCannotHoldTheJobBeyondItsDeadline() throws Exception {
        Job job = job(RANK + untilMet() + DONE, 2, 10);
        try (Stranger stranger = new Stranger(job, "H".getBytes(StandardCharsets.US_ASCII), "rank-1.log")) {
            JobException e = assertThrows(JobException.class, () -> run(job, Native.mpi()));
            assertTrue(e.text().contains("expected the job to end within 10.0 s"), e.text());
            assertTrue(stranger.met());
        }
    }

    /**
     * He says that he is the proxy, is believed where he is faster, and asks for a program of his own to be started.
     */
    @Test
    void aStrangerCannotStartAnything() throws Exception {
        Path mark = scratch.resolve("mark");
        String spawn = String.join(
                "\n",
                "mcmd=spawn",
                "nprocs=1",
                "execname=/usr/bin/touch",
                "totspawns=1",
                "spawnssofar=1",
                "arg1=" + mark,
                "argcnt=1",
                "preput_num=0",
                "info_num=0",
                "endcmd",
                "");
        byte[] words = spawn.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer message = ByteBuffer.allocate(12 + 24 + words.length).order(ByteOrder.nativeOrder());
        message.put("HYD\0".getBytes(StandardCharsets.US_ASCII)).putInt(0).putInt(0); // signature, process group, proxy
        message.putInt(7)
                .putInt(words.length)
                .putInt(0)
                .putInt(0)
                .putInt(1)
                .putInt(0)
                .put(words); // a message for PMI, its length, from whom, version, from which rank
        Job job = job(RANK + untilMet() + DONE, 2, 60);
        try (Stranger stranger = new Stranger(job, message.array(), "launcher.log")) {
            assertEquals(
                    SparkGapException.LOST,
                    assertThrows(JobException.class, () -> run(job, Native.mpi()))
                            .code(),
                    "he can break the job");
            assertFalse(stranger.heard().contains("PATH="), "but sees no environment: " + stranger.heard());
        }
        assertFalse(Files.exists(mark), "and starts nothing");
    }

    @Test
    void othersSeeTheProgress() throws Exception {
        RunningJob running = Jobs.begin("test");
        Job job = job(
                "for i in 1 2 3; do echo '{\"phase\": \"compute\", \"iteration\": '$i', \"of\": 3, \"residual\": "
                        + "0.25}' >> $SPARKGAP_JOB/progress.jsonl; done\n"
                        + untilMet() + "rank=0\n" + DONE,
                1,
                60);
        Thread thread = new Thread(() -> run(job, null, running, RankCpus.NONE));
        thread.start();
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (Jobs.running().get(0).iteration() < 3 && System.nanoTime() < end) {
            Thread.sleep(10);
        }
        JobStatus status = Jobs.running().get(0);
        assertEquals(
                "test compute 3 3 0.25",
                status.kernel() + " " + status.phase() + " " + status.iteration() + " " + status.of() + " "
                        + status.residual());
        met();
        thread.join();
        running.close();
        assertEquals(List.of(), Jobs.running());
    }

    @Test
    void aMissingDoneFileIsABug() throws Exception {
        JobException e = fails("exit 0\n", 1, 60);
        assertEquals(SparkGapException.BUG, e.code());
        assertTrue(e.text().contains("expected a sound done-0.json, found none"), e.text());
    }

    @Test
    void aProgramThatIsNoneCannotBeStarted() throws Exception {
        Program none = new Program("none", scratch.resolve("none"), Native.guard());
        Job job = new Job(
                "none",
                none,
                scratch.resolve("jobs/none"),
                1,
                List.of("here"),
                Map.of(),
                Map.of(),
                1 << 20,
                Duration.ofSeconds(20));
        JobException e = assertThrows(JobException.class, () -> run(job, null));
        assertEquals(SparkGapException.LOST, e.code());
        Program unguarded = new Program("none", scratch.resolve("none"), scratch.resolve("no-guard"));
        Job worse = new Job(
                "worse",
                unguarded,
                scratch.resolve("jobs/worse"),
                1,
                List.of("here"),
                Map.of(),
                Map.of(),
                1 << 20,
                Duration.ofSeconds(20));
        assertEquals(
                SparkGapException.LOST,
                assertThrows(SparkGapException.class, () -> run(worse, null)).code());
    }

    @Test
    void killedRanksOfMpichLeaveNoSharedMemory() throws Exception {
        List<String> before = sharedMemory();
        Path rmat = Native.kernel("rmat");
        Program program = new Program("rmat", rmat, Native.guard());
        Map<String, Object> parameters =
                Map.of("scale", 26L, "edge_factor", 16L, "seed", 1L, "a", 0.57, "b", 0.19, "c", 0.19);
        Job job = new Job(
                "shm",
                program,
                scratch.resolve("jobs/shm"),
                1,
                List.of("here", "here"),
                parameters,
                Map.of(),
                1 << 28,
                Duration.ofMillis(1500));
        JobException e = assertThrows(JobException.class, () -> run(job, Native.mpi()));
        assertTrue(e.text().contains("expected the job to end within 1.5 s"), e.getMessage());
        assertEquals(before, sharedMemory());
    }

    @Test
    void aMissingMpiexecIsToldWithTheLineToType() {
        String text = assertThrows(SparkGapException.class, () -> Mpi.find("", "/nowhere:"))
                .getMessage();
        assertEquals(
                "[SPARKGAP {\"code\":5}] launch: expected mpiexec from the mpich package, found none in PATH. "
                        + "Do pip install mpich==5.0.2 or set spark.sparkgap.launch.mpiexec to its path.",
                text);
        assertThrows(SparkGapException.class, () -> Mpi.find(scratch.toString(), ""));
    }

    /** Connects to mpiexec as soon as the job has a certain file, says something, and stays until he is closed. */
    /** Words of a program by which a rank says that it runs, and the file that tells. */
    private String here() {
        return "touch " + scratch + "/here-$rank\n";
    }

    private String here(int rank) {
        return scratch + "/here-" + rank;
    }

    /** A program that waits until the test has met it. */
    private String untilMet() {
        return "while [ ! -e " + scratch + "/met ]; do sleep 0.02; done\n";
    }

    private void met() {
        try {
            Files.createFile(scratch.resolve("met"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final class Stranger implements AutoCloseable {
        private static final Pattern PORT = Pattern.compile("--control-port 127\\.0\\.0\\.1:(\\d+)");
        private final StringBuffer heard = new StringBuffer();
        private final Thread thread;
        private volatile Socket line;

        Stranger(Job job, byte[] words, String file) {
            thread = new Thread(() -> {
                try {
                    Matcher port = null;
                    while (!Files.exists(job.directory().resolve(file))
                            || !(port = PORT.matcher(
                                            Files.readString(job.directory().resolve("launcher.log"))))
                                    .find()) {
                        Thread.onSpinWait();
                    }
                    line = new Socket("127.0.0.1", Integer.parseInt(port.group(1)));
                    line.getOutputStream().write(words);
                    line.getOutputStream().flush();
                    met();
                    for (int c; (c = line.getInputStream().read()) >= 0; ) {
                        heard.append((char) c);
                    }
                } catch (IOException over) {
                    // closed
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        boolean met() {
            return line != null;
        }

        String heard() {
            return heard.toString();
        }

        @Override
        public void close() throws Exception {
            if (line != null) {
                line.close();
            }
            thread.join();
        }
    }

    private JobResult run(String body, int ranks, long timeoutSeconds) throws Exception {
        return run(job(body, ranks, timeoutSeconds), ranks > 1 ? Native.mpi() : null);
    }

    private static JobResult run(Job job, Mpi mpi) {
        try (RunningJob running = Jobs.begin(job.program().name())) {
            return run(job, mpi, running, RankCpus.NONE);
        }
    }

    /** As the driver runs a job whose ranks are all on its host. */
    private static JobResult run(Job job, Mpi mpi, RunningJob running, RankCpus cpus) {
        return JobRun.run(
                job, mpi, running, ThreadAgents.ofDriver(job, mpi, cpus), "127.0.0.1", Duration.ofSeconds(30));
    }

    private JobException fails(String body, int ranks, long timeoutSeconds) throws Exception {
        Job job = job(body, ranks, timeoutSeconds);
        Mpi mpi = ranks > 1 ? Native.mpi() : null;
        return assertThrows(JobException.class, () -> run(job, mpi));
    }

    private Job job(String body, int ranks, long timeoutSeconds) throws Exception {
        String id = "j" + jobs++;
        Path script = scratch.resolve(id + ".sh");
        Files.writeString(script, "#!/bin/sh\n" + body);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        Program program = new Program("script", script, Native.guard());
        return new Job(
                id,
                program,
                scratch.resolve("jobs").resolve(id),
                2,
                Collections.nCopies(ranks, "here"),
                Map.of(),
                Map.of(),
                1 << 20,
                Duration.ofSeconds(timeoutSeconds));
    }

    private Job own(String body, int ranks) throws Exception {
        Job kernel = job(body, ranks, 60);
        Files.createDirectories(scratch.resolve("logs"));
        Invocation invocation = new Invocation(
                rank -> List.of("a b", "{x}", "r" + rank), Map.of("COLOUR", "red"), Map.of(), scratch.resolve("logs"));
        Program program = new Program(
                "own", kernel.program().executable(), kernel.program().guard(), invocation);
        return new Job(
                kernel.id(),
                program,
                kernel.directory(),
                2,
                Collections.nCopies(ranks, "here"),
                Map.of(),
                Map.of(),
                1 << 20,
                kernel.timeout());
    }

    private static List<String> sharedMemory() throws Exception {
        try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
            return files.map(Path::toString)
                    .filter(name -> name.contains("mpich_shm_") || name.contains("ucx_shm_"))
                    .sorted()
                    .toList();
        }
    }

    private static List<String> processesNaming(String text) throws Exception {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes
                    .filter(p -> p.getFileName().toString().matches("[1-9]\\d*"))
                    .filter(p ->
                            !p.endsWith(Long.toString(ProcessHandle.current().pid())))
                    .map(p -> {
                        try {
                            return Files.readString(p.resolve("cmdline"), StandardCharsets.ISO_8859_1)
                                    .replace('\0', ' ');
                        } catch (IOException gone) {
                            return "";
                        }
                    })
                    .filter(line -> line.contains(text))
                    .toList();
        }
    }
}
