// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RunningJob;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobCounter;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs do what Hadoop's rules say, as on Hadoop itself where it runs them in one process. */
class JobsTest {
    private static final int LINES = 2000;
    private static final int SKEWED = 300_000;
    private static final long PATIENCE_MS = 60_000;

    @TempDir
    Path folder;

    @BeforeEach
    void input() throws IOException {
        Path in = Files.createDirectories(folder.resolve("in"));
        for (int file = 0; file < 2; ++file) {
            int seed = file;
            Files.write(
                    in.resolve("words" + file),
                    IntStream.range(0, LINES)
                            .mapToObj(i -> "word" + (i * 7919L + seed) % 211 + " " + (i - LINES / 2))
                            .toList());
        }
    }

    private Job job(Engine engine) throws IOException {
        Configuration conf = engine.conf(engine.folder(folder));
        conf.set(TestJobs.DIARY, engine.folder(folder).resolve("diary").toString());
        Files.createDirectories(engine.folder(folder));
        Job job = Job.getInstance(conf, "words");
        job.setMapperClass(TestJobs.Words.class);
        job.setReducerClass(TestJobs.Sum.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(IntWritable.class);
        FileInputFormat.addInputPath(
                job, new org.apache.hadoop.fs.Path(folder.resolve("in").toString()));
        FileOutputFormat.setOutputPath(
                job, new org.apache.hadoop.fs.Path(output(engine).toString()));
        return job;
    }

    private Path output(Engine engine) {
        return engine.folder(folder).resolve("out");
    }

    private List<String> diary(Engine engine) throws IOException {
        Path diary = engine.folder(folder).resolve("diary");
        return Files.exists(diary) ? Files.readAllLines(diary) : List.of();
    }

    private interface Setting {
        void on(Job job) throws Exception;
    }

    /** Runs the job on both: equal files, counters and calls of the committer. */
    private void agrees(Setting setting) throws Exception {
        for (Engine engine : Engine.values()) {
            Job last = job(engine);
            setting.on(last);
            assertTrue(last.waitForCompletion(false), engine.name());
        }
        assertEquals(Engine.files(output(Engine.LOCAL)), Engine.files(output(Engine.SPARKGAP)));
        assertEquals(
                diary(Engine.LOCAL).stream().sorted().toList(),
                diary(Engine.SPARKGAP).stream().sorted().toList());
    }

    private void countersAgree(Setting setting) throws Exception {
        Job[] jobs = new Job[2];
        for (Engine engine : Engine.values()) {
            jobs[engine.ordinal()] = job(engine);
            setting.on(jobs[engine.ordinal()]);
            assertTrue(jobs[engine.ordinal()].waitForCompletion(false), engine.name());
        }
        assertEquals(Engine.counters(jobs[0].getCounters()), Engine.counters(jobs[1].getCounters()));
        assertEquals(Engine.files(output(Engine.LOCAL)), Engine.files(output(Engine.SPARKGAP)));
    }

    @Test
    void countersAreThoseOfHadoop() throws Exception {
        countersAgree(job -> job.setNumReduceTasks(3));
    }

    @Test
    void combinersSeeTheSame() throws Exception {
        countersAgree(job -> {
            job.setCombinerClass(TestJobs.Sum.class);
            job.setNumReduceTasks(3);
        });
    }

    /** Spark's shuffle has another writer for so many. */
    @Test
    void moreReducersThanKeys() throws Exception {
        Job job = job(Engine.SPARKGAP);
        job.setNumReduceTasks(300);
        assertTrue(job.waitForCompletion(false));
        Job alone = job(Engine.LOCAL);
        assertTrue(alone.waitForCompletion(false));
        assertEquals(lines(Engine.LOCAL), lines(Engine.SPARKGAP));
        assertEquals(301, Engine.files(output(Engine.SPARKGAP)).size(), "parts, and _SUCCESS");
    }

    private List<String> lines(Engine engine) {
        return Engine.files(output(engine)).values().stream()
                .flatMap(String::lines)
                .sorted()
                .toList();
    }

    @Test
    void noReducers() throws Exception {
        countersAgree(job -> job.setNumReduceTasks(0));
    }

    @Test
    void keysInAnOrderOfTheJobsOwn() throws Exception {
        agrees(job -> {
            job.setSortComparatorClass(TestJobs.Backwards.class);
            job.setNumReduceTasks(2);
        });
    }

    @Test
    void combinersOfKeysInSuchAnOrder() throws Exception {
        countersAgree(job -> {
            job.setSortComparatorClass(TestJobs.Backwards.class);
            job.setCombinerClass(TestJobs.Sum.class);
            job.setNumReduceTasks(2);
        });
    }

    @Test
    void theCommittersCalls() throws Exception {
        agrees(job -> job.setOutputFormatClass(TestJobs.Noted.class));
        assertEquals(List.of("setupJob", "commitTask REDUCE", "commitJob"), diary(Engine.SPARKGAP));
    }

    @Test
    void recordsLongerThanAChunk() throws Exception {
        Path in = Files.createDirectories(folder.resolve("few"));
        Files.write(in.resolve("lines"), List.of("a", "b", "c"));
        agrees(job -> {
            FileInputFormat.setInputPaths(job, new org.apache.hadoop.fs.Path(in.toString()));
            job.setMapperClass(TestJobs.Large.class);
            job.setReducerClass(TestJobs.Lengths.class);
            job.setMapOutputValueClass(Text.class);
        });
    }

    /** A combiner that runs several times, for its groups are full. */
    @Test
    void moreThanTheGroupsHaveRoomFor() throws Exception {
        Path in = Files.createDirectories(folder.resolve("few"));
        Files.write(in.resolve("lines"), List.of("a"));
        Job job = job(Engine.SPARKGAP);
        FileInputFormat.setInputPaths(job, new org.apache.hadoop.fs.Path(in.toString()));
        job.setMapperClass(TestJobs.Many.class);
        job.setCombinerClass(TestJobs.Longest.class);
        job.setReducerClass(TestJobs.Lengths.class);
        job.setMapOutputValueClass(Text.class);
        assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
        long combined = job.getCounters()
                .findCounter(TaskCounter.COMBINE_OUTPUT_RECORDS)
                .getValue();
        assertTrue(combined > 3 && combined <= 24, Long.toString(combined));
        assertEquals(
                48,
                job.getCounters().findCounter(TaskCounter.COMBINE_INPUT_RECORDS).getValue());
        List<String> longest = IntStream.of(45, 46, 47)
                .mapToObj(i -> "key" + i % 3 + "\t" + ((1 << 20) + i))
                .toList();
        assertTrue(lines(Engine.SPARKGAP).containsAll(longest), lines(Engine.SPARKGAP)::toString);
    }

    /** Nearly all records are of one key. */
    @Test
    void oneKeyOfManyRecords() throws Exception {
        Path in = Files.createDirectories(folder.resolve("skewed"));
        Files.write(
                in.resolve("lines"),
                IntStream.range(0, SKEWED)
                        .mapToObj(i -> (i % 100 == 0 ? "word" + i % 7 : "most") + " " + i)
                        .toList());
        countersAgree(job -> {
            FileInputFormat.setInputPaths(job, new org.apache.hadoop.fs.Path(in.toString()));
            job.setNumReduceTasks(3);
        });
    }

    @Test
    void noInput() throws Exception {
        Path in = Files.createDirectories(folder.resolve("none"));
        agrees(job -> {
            FileInputFormat.setInputPaths(job, new org.apache.hadoop.fs.Path(in.toString()));
            job.setNumReduceTasks(2);
        });
    }

    @Test
    void theOldInterface() throws Exception {
        for (Engine engine : Engine.values()) {
            JobConf conf = new JobConf(engine.conf(engine.folder(folder)));
            conf.setMapperClass(TestJobs.OldWords.class);
            conf.setCombinerClass(TestJobs.OldSum.class);
            conf.setReducerClass(TestJobs.OldSum.class);
            conf.setOutputKeyClass(Text.class);
            conf.setOutputValueClass(IntWritable.class);
            conf.setNumReduceTasks(2);
            org.apache.hadoop.mapred.FileInputFormat.setInputPaths(
                    conf, new org.apache.hadoop.fs.Path(folder.resolve("in").toString()));
            org.apache.hadoop.mapred.FileOutputFormat.setOutputPath(
                    conf, new org.apache.hadoop.fs.Path(output(engine).toString()));
            RunningJob done = JobClient.runJob(conf);
            assertTrue(done.isSuccessful());
            assertEquals(2 * LINES, done.getCounters().getCounter(TestJobs.Seen.LINES));
        }
        assertEquals(Engine.files(output(Engine.LOCAL)), Engine.files(output(Engine.SPARKGAP)));
    }

    @Test
    void anAttemptThatFailsIsTriedAgain() throws Exception {
        Job job = job(Engine.SPARKGAP);
        job.setMapperClass(TestJobs.Failing.class);
        job.setOutputFormatClass(TestJobs.Noted.class);
        job.setNumReduceTasks(0);
        job.getConfiguration().setInt("test.failing", 1);
        assertTrue(job.waitForCompletion(false));
        assertEquals(
                2 * LINES, job.getCounters().findCounter(TestJobs.Seen.LINES).getValue());
        List<String> diary = diary(Engine.SPARKGAP);
        assertEquals(
                4, diary.stream().filter(line -> line.startsWith("attempt of")).count());
        assertEquals(
                2, diary.stream().filter(line -> line.equals("abortTask MAP")).count());
        assertEquals(2, job.getTaskReports(TaskType.MAP).length);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aJobFailsAfterItsAttempts(int most) throws Exception {
        Job job = job(Engine.SPARKGAP);
        job.setMapperClass(TestJobs.Failing.class);
        job.setOutputFormatClass(TestJobs.Noted.class);
        job.getConfiguration().setInt("test.failing", -1);
        job.setMaxMapAttempts(most);
        assertFalse(job.waitForCompletion(false));
        assertEquals(JobStatus.State.FAILED, job.getStatus().getState());
        assertTrue(
                job.getStatus().getFailureInfo().contains("planted failure"),
                job.getStatus().getFailureInfo());
        List<String> diary = diary(Engine.SPARKGAP);
        for (int task = 0; task < 2; ++task) {
            String line = "attempt of " + task;
            long tries = diary.stream().filter(line::equals).count();
            assertTrue(tries <= most, diary::toString);
        }
        assertTrue(diary.stream().filter(line -> line.startsWith("attempt of")).count() >= most, diary::toString);
        assertEquals("abortJob FAILED", diary.get(diary.size() - 1));
        assertEquals(0, Engine.files(output(Engine.SPARKGAP)).size());
    }

    /** What goes wrong before a task begins is an attempt of it too. */
    @Test
    void filesThatAreGone() throws Exception {
        Path cached = Files.writeString(folder.resolve("cached.txt"), "cached line\n");
        Job job = job(Engine.SPARKGAP);
        job.addCacheFile(URI.create(cached.toUri() + "#a/b"));
        assertFalse(job.waitForCompletion(false));
        assertTrue(job.getStatus().getFailureInfo().contains("expected a plain name behind #"));
        assertTrue(job.getCounters().findCounter(JobCounter.NUM_FAILED_MAPS).getValue() <= 8);
    }

    @Test
    void aWayOfChainsThatThereIsNot() throws Exception {
        Job job = job(Engine.SPARKGAP);
        job.getConfiguration().set("spark.sparkgap.mapreduce.chain", "disk");
        assertFalse(job.waitForCompletion(false));
        assertTrue(job.getStatus().getFailureInfo().contains("expected written or memory, found \"disk\""));
    }

    @Test
    void whoAsksIsToldOfTheEnd() throws Exception {
        BlockingQueue<String> asked = new LinkedBlockingQueue<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            asked.add(exchange.getRequestURI().toString());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        try {
            Job job = job(Engine.SPARKGAP);
            String address = "http://localhost:" + server.getAddress().getPort() + "/?job=$jobId&is=$jobStatus";
            job.getConfiguration().set("mapreduce.job.end-notification.url", address);
            assertTrue(job.waitForCompletion(false));
            assertEquals("/?job=" + job.getJobID() + "&is=SUCCEEDED", asked.poll());
        } finally {
            server.stop(0);
        }
    }

    @Test
    void aPartitionThatThereIsNot() throws Exception {
        Job job = job(Engine.SPARKGAP);
        job.setPartitionerClass(TestJobs.Nowhere.class);
        job.setNumReduceTasks(2);
        job.setMaxMapAttempts(1);
        assertFalse(job.waitForCompletion(false));
        assertTrue(job.getStatus().getFailureInfo().contains("Illegal partition"));
    }

    @Test
    void aKillEndsARunningJob() throws Exception {
        Job job = job(Engine.SPARKGAP);
        job.setMapperClass(TestJobs.Sleeping.class);
        job.setOutputFormatClass(TestJobs.Noted.class);
        job.submit();
        long end = System.currentTimeMillis() + PATIENCE_MS;
        while (!diary(Engine.SPARKGAP).contains("sleeps") && System.currentTimeMillis() < end) {
            Thread.sleep(20);
        }
        job.killJob();
        ended(job);
        assertTrue(diary(Engine.SPARKGAP).contains("abortJob KILLED"));
    }

    @Test
    void aKillBeforeTheStart() throws Exception {
        Job job = job(Engine.SPARKGAP);
        job.setMapperClass(TestJobs.Sleeping.class);
        job.submit();
        job.killJob();
        ended(job);
    }

    private void ended(Job job) throws Exception {
        long end = System.currentTimeMillis() + PATIENCE_MS;
        while (!job.isComplete() && System.currentTimeMillis() < end) {
            Thread.sleep(20);
        }
        assertEquals(JobStatus.State.KILLED, job.getStatus().getState());
        Path staging = engineStaging();
        assertEquals(0, Files.exists(staging) ? Engine.files(staging).size() : 0);
    }

    private Path engineStaging() {
        return Engine.SPARKGAP.folder(folder).resolve("staging");
    }

    @Test
    void cachedFilesAreInTheTasksFolder() throws Exception {
        Path cached = Files.writeString(folder.resolve("cached.txt"), "cached line\n");
        Job job = job(Engine.SPARKGAP);
        job.setMapperClass(TestJobs.Cached.class);
        job.setNumReduceTasks(1);
        job.addCacheFile(URI.create(cached.toUri() + "#link.txt"));
        assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
        String found = Engine.files(output(Engine.SPARKGAP)).get("part-r-00000");
        assertEquals("cached line\t2\nfiles in the folder\t2\nlink.txt\t2\nmine\t2\n", found);
        assertFalse(Files.exists(Path.of("mine.txt")) || Files.exists(Path.of("link.txt")));
    }
}
