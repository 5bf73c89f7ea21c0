// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.job;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobContextImpl;
import org.apache.hadoop.mapred.JobEndNotifier;
import org.apache.hadoop.mapred.JobStatus;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobStatus.State;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitMetaInfo;
import org.apache.hadoop.mapreduce.split.SplitMetaInfoReader;
import org.apache.hadoop.security.Credentials;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.RDD;
import org.apache.spark.rdd.ShuffledRDD;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sparkgap.mapreduce.shuffle.ChunkSerializer;
import org.sparkgap.mapreduce.task.Committers;
import org.sparkgap.mapreduce.task.JobDescription;
import org.sparkgap.mapreduce.task.JobOnHost;
import org.sparkgap.mapreduce.task.MapStage;
import org.sparkgap.mapreduce.task.ReduceStage;
import org.sparkgap.mapreduce.task.Split;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** A job from its submission to its end, in a thread of its own. */
final class RunningJob implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger("sparkgap");

    private final JobID id;
    private final Path folder;
    private final FileSystem files;
    private final JobConf conf;
    private final Credentials credentials;
    private final Progress progress;
    private JavaSparkContext spark;
    private boolean isKilled;

    /**
     * @param folder of the staging area, which has its configuration and its splits
     * @param credentials of who submitted it
     */
    RunningJob(JobID id, Path folder, FileSystem files, JobConf conf, Credentials credentials) {
        this.id = id;
        this.folder = folder;
        this.files = files;
        this.conf = conf;
        this.credentials = credentials;
        this.progress = new Progress(id, conf, folder);
    }

    Progress progress() {
        return progress;
    }

    /** Ends it, whether it has begun or not; a job that has ended stays as it is. */
    synchronized void kill() {
        isKilled = true;
        if (spark != null) {
            spark.sc().cancelJobGroupAndFutureJobs(id.toString());
        }
    }

    @Override
    public void run() {
        State end = State.FAILED;
        String why = "";
        try {
            runStages();
            end = State.SUCCEEDED;
        } catch (Throwable e) {
            end = isKilled() ? State.KILLED : State.FAILED;
            why = isKilled() ? "killed" : progress.failureOf(e);
            LOG.warn("{}: {}", id, why, isKilled() ? null : e);
        } finally {
            removeFolder();
            tell(end);
            progress.end(end, why);
        }
    }

    private synchronized boolean isKilled() {
        return isKilled;
    }

    private synchronized void start() throws IOException {
        if (isKilled) {
            throw new IOException("killed before it began");
        }
        spark = Session.of(conf);
        spark.setJobGroup(id.toString(), conf.getJobName(), true);
    }

    private void runStages() throws Exception {
        TaskSplitMetaInfo[] splits = SplitMetaInfoReader.readSplitMetaInfo(id, files, conf, folder);
        conf.setNumMapTasks(splits.length);
        start();
        progress.begin(spark.sc(), splits.length);
        try {
            runHere(splits);
        } finally {
            progress.close();
        }
    }

    /** With the job's files and classes on this host too, for its committer. */
    private void runHere(TaskSplitMetaInfo[] splits) throws Exception {
        JobOnHost here = JobOnHost.of(JobDescription.of(id.toString(), folder.toString(), conf, credentials));
        ClassLoader loader = here.takeLoader();
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(loader);
        try {
            commit(here.conf(loader), splits);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
            here.giveBack(loader);
            here.release();
        }
    }

    /** Between the two calls of its committer that a job makes. */
    private void commit(JobConf own, TaskSplitMetaInfo[] splits) throws Exception {
        TaskAttemptID first = new TaskAttemptID(new TaskID(id, TaskType.MAP, 0), 0);
        OutputCommitter committer = Committers.of(own, first);
        JobContextImpl context = new JobContextImpl(own, id);
        try {
            committer.setupJob(context);
            try {
                runTasks(splits);
            } finally {
                progress.awaitTasks(); // none writes beside what follows
            }
            if (isKilled()) {
                throw new IOException("killed");
            }
            committer.commitJob(context);
        } catch (Throwable e) {
            try {
                committer.abortJob(context, isKilled() ? State.KILLED : State.FAILED);
            } catch (Exception also) {
                e.addSuppressed(also);
            }
            throw e;
        }
    }

    private void runTasks(TaskSplitMetaInfo[] splits) throws IOException {
        Broadcast<JobDescription> job =
                spark.broadcast(JobDescription.of(id.toString(), folder.toString(), conf, credentials));
        try {
            spark.setCallSite("map: " + conf.getJobName());
            JavaRDD<Tuple2<Object, byte[]>> mapped = placed(splits).mapPartitions(new MapStage(job, progress.maps()));
            int reducers = conf.getNumReduceTasks();
            if (reducers == 0) {
                mapped.count();
            } else {
                JavaRDD<Tuple2<Object, byte[]>> shuffled = shuffled(mapped, reducers);
                spark.setCallSite("reduce: " + conf.getJobName());
                shuffled.foreachPartition(new ReduceStage(job, progress.reduces(), splits.length));
            }
        } finally {
            job.destroy();
        }
    }

    /** A partition for each split, where its data are. */
    private JavaRDD<Split> placed(TaskSplitMetaInfo[] splits) {
        List<Tuple2<Split, Seq<String>>> all = IntStream.range(0, splits.length)
                .mapToObj(i -> new Tuple2<>(
                        new Split(i, splits[i].getSplitLocation(), splits[i].getStartOffset()),
                        CollectionConverters.asScala(List.of(splits[i].getLocations()))
                                .toSeq()))
                .toList();
        ClassTag<Split> tag = ClassTag$.MODULE$.apply(Split.class);
        return spark.sc()
                .makeRDD(CollectionConverters.asScala(all).toSeq(), tag)
                .toJavaRDD();
    }

    private static JavaRDD<Tuple2<Object, byte[]>> shuffled(JavaRDD<Tuple2<Object, byte[]>> mapped, int reducers) {
        ClassTag<Object> key = ClassTag$.MODULE$.Object();
        ClassTag<byte[]> chunk = ClassTag$.MODULE$.apply(byte[].class);
        RDD<Tuple2<Object, byte[]>> made = new ShuffledRDD<Object, byte[], byte[]>(
                        mapped.rdd(), new HashPartitioner(reducers), key, chunk, chunk)
                .setSerializer(new ChunkSerializer());
        return made.toJavaRDD();
    }

    /** Calls the address that the job asks for, with tries as it says; before the client hears of the end, and goes. */
    private void tell(State end) {
        if (conf.getJobEndNotificationURI() != null) {
            org.apache.hadoop.mapred.JobID old = org.apache.hadoop.mapred.JobID.downgrade(id);
            JobEndNotifier.localRunnerNotification(
                    conf, new JobStatus(old, 1, 1, 1, end.getValue(), conf.getUser(), conf.getJobName(), "", ""));
        }
    }

    private void removeFolder() {
        try {
            files.delete(folder, true);
        } catch (IOException e) {
            LOG.warn("{}: {} could not be removed", id, folder, e);
        }
    }
}
