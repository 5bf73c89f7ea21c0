// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.nio.file.Path;
import java.util.AbstractMap.SimpleImmutableEntry;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MROutputFiles;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.spark.TaskContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sparkgap.mapreduce.format.FormatBytes;
import org.sparkgap.mapreduce.format.MeasuredConf;
import org.sparkgap.mapreduce.shuffle.CollectedOutput;
import org.sparkgap.mapreduce.shuffle.ShuffledInput;

/** One attempt of Hadoop's own MapTask or ReduceTask, in a task of Spark. */
final class TaskRun {
    /** Of attempts: Spark counts them anew in each attempt of a stage. */
    private static final int PER_STAGE_ATTEMPT = 1000;

    private static final long HELD_MS = 1000;

    /** A setting of Hadoop without a name in its API. */
    private static final String OUTPUT_FILES = "mapreduce.task.local.output.class";

    private static final Logger LOG = LoggerFactory.getLogger("sparkgap");

    /**
     * Holds an attempt of which the driver may say that the job allows no more: Spark begins it before the driver has
     * heard of the one before. Attempts that were lost with their host, or killed, are none of those that it counts.
     */
    static void hold(JobDescription job, TaskContext spark, TaskType type) throws InterruptedException {
        int most = type == TaskType.MAP ? job.mapAttempts() : job.reduceAttempts();
        if (spark.attemptNumber() >= most) {
            Thread.sleep(HELD_MS);
        }
    }

    /** Makes Hadoop's task of an attempt. */
    interface Maker {
        Task make(String jobFile, TaskAttemptID attempt);
    }

    private final JobOnHost job;
    private final TaskContext spark;
    private final int number;
    private final TaskAttemptID attempt;

    TaskRun(JobOnHost job, TaskContext spark, TaskType type, int number) {
        this.job = job;
        this.spark = spark;
        this.number = number;
        org.apache.hadoop.mapred.TaskID task =
                new org.apache.hadoop.mapred.TaskID(org.apache.hadoop.mapred.JobID.downgrade(job.id()), type, number);
        int tries = spark.stageAttemptNumber() * PER_STAGE_ATTEMPT + spark.attemptNumber();
        this.attempt = new TaskAttemptID(task, tries);
    }

    /** Runs it to its commit, and adds it to those that are done. A failure is passed on when its output is aborted. */
    void run(Maker maker, DoneTasks done) throws Exception {
        ClassLoader loader = job.takeLoader();
        MeasuredConf conf = job.conf(loader);
        Path folder = job.makeFolder();
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try (WorkingFolder ignored = WorkingFolder.enter(folder, conf)) {
            job.files().link(folder);
            done.add(new SimpleImmutableEntry<>(number, ran(maker, conf, folder)));
            job.giveBack(loader);
        } catch (Throwable e) {
            job.discard(loader);
            throw e;
        } finally {
            thread.setContextClassLoader(before);
            FileUtil.fullyDelete(folder.toFile());
        }
    }

    private TaskDone ran(Maker maker, MeasuredConf conf, Path folder) throws Exception {
        long begun = System.currentTimeMillis();
        Umbilical umbilical = new Umbilical(spark);
        FileSystemUse files = FileSystemUse.begin();
        prepare(conf, folder);
        try (FormatBytes bytes = FormatBytes.begin(conf, Committers.isNew(conf))) {
            run(maker.make(job.file(), attempt), conf, umbilical);
            Counters counters =
                    umbilical.last() == null ? new Counters() : umbilical.last().getCounters();
            files.countInto(counters);
            bytes.countInto(counters);
            return TaskDone.of(attempt.toString(), counters, begun, System.currentTimeMillis());
        }
    }

    private void run(Task task, JobConf conf, Umbilical umbilical) throws Exception {
        try {
            task.localizeConfiguration(conf);
            task.setConf(conf);
            task.run(conf, umbilical.protocol());
        } catch (Throwable e) {
            umbilical.end();
            abort(conf);
            // What the umbilical threw that its protocol does not know, and Spark does.
            if (e instanceof UndeclaredThrowableException && e.getCause() instanceof Exception known) {
                throw known;
            }
            throw e;
        }
    }

    private static void prepare(JobConf conf, Path folder) {
        conf.set(MRConfig.LOCAL_DIR, folder.toString());
        conf.set(MRJobConfig.JOB_LOCAL_DIR, folder.toString());
        conf.setClass(OUTPUT_FILES, NoOutputFiles.class, MROutputFiles.class);
        conf.set(
                org.apache.hadoop.mapreduce.MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR,
                CollectedOutput.class.getName());
        conf.set(MRConfig.SHUFFLE_CONSUMER_PLUGIN, ShuffledInput.class.getName());
    }

    private void abort(JobConf conf) {
        try {
            Committers.of(conf, attempt).abortTask(Committers.context(conf, attempt));
        } catch (Exception e) {
            LOG.warn("{}: its output could not be aborted", attempt, e);
        }
    }

    /** Map output is in no file; Hadoop's task asks for the length of one. */
    public static final class NoOutputFiles extends MROutputFiles {
        @Override
        public org.apache.hadoop.fs.Path getOutputFile() throws IOException {
            return new org.apache.hadoop.fs.Path(getConf().get(MRConfig.LOCAL_DIR));
        }
    }
}
