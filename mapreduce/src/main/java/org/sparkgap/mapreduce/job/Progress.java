// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.job;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TIPStatus;
import org.apache.hadoop.mapreduce.JobCounter;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobPriority;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.JobStatus.State;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sparkgap.mapreduce.task.DoneTasks;
import org.sparkgap.mapreduce.task.TaskDone;
import scala.Option;

/** How far a job is: what its client asks for, out of what Spark's tasks have said. */
final class Progress extends SparkListener {
    /** As which Spark's pages and its event log have them. */
    private static final String COUNTERS = "Hadoop counters";

    private static final Logger LOG = LoggerFactory.getLogger("sparkgap");
    private static final long LAST_TASK_MS = 10_000;
    private static final String GROUP = "spark.jobGroup.id";

    private final JobID id;
    private final JobConf conf;
    private final Path folder;
    private final long begun = System.currentTimeMillis();
    private final DoneTasks maps = new DoneTasks();
    private final DoneTasks reduces = new DoneTasks();
    private final Set<Integer> stages = new HashSet<>();
    private final Set<Long> running = new HashSet<>();
    private final Map<String, Integer> failures = new HashMap<>();
    private SparkContext spark;
    private int mapCount;
    private int mapStage = -1;
    private long launchedMaps;
    private long launchedReduces;
    private long failedMaps;
    private long failedReduces;
    private String lastFailure = "";
    private State state = State.PREP;
    private String failure = "";
    private long ended;

    Progress(JobID id, JobConf conf, Path folder) {
        this.id = id;
        this.conf = conf;
        this.folder = folder;
    }

    DoneTasks maps() {
        return maps;
    }

    DoneTasks reduces() {
        return reduces;
    }

    /** Listens to Spark from now on, until it is closed. */
    synchronized void begin(SparkContext context, int splits) {
        spark = context;
        mapCount = splits;
        maps.register(context, Option.apply(COUNTERS), false);
        reduces.register(context, Option.apply(COUNTERS), false);
        context.addSparkListener(this);
        state = State.RUNNING;
    }

    synchronized void close() {
        spark.removeSparkListener(this);
    }

    synchronized void end(State last, String why) {
        state = last;
        failure = why;
        ended = System.currentTimeMillis();
    }

    /** Why the job failed: what its last failed task said, or else what went wrong around the tasks. */
    synchronized String failureOf(Throwable e) {
        return lastFailure.isEmpty() ? e.toString() : lastFailure;
    }

    @Override
    public synchronized void onJobStart(SparkListenerJobStart job) {
        if (job.properties() != null && id.toString().equals(job.properties().getProperty(GROUP))) {
            job.stageIds().foreach(stage -> stages.add((Integer) stage));
            mapStage = stages.stream().min(Integer::compare).orElse(-1);
        }
    }

    @Override
    public synchronized void onTaskStart(SparkListenerTaskStart task) {
        if (stages.contains(task.stageId())) {
            boolean isMap = task.stageId() == mapStage;
            launchedMaps += isMap ? 1 : 0;
            launchedReduces += isMap ? 0 : 1;
            running.add(task.taskInfo().taskId());
        }
    }

    /** Waits until no task of the job runs, at most some seconds: an attempt that was killed takes a while to end. */
    void awaitTasks() throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LAST_TASK_MS);
        try {
            spark.listenerBus().waitUntilEmpty(LAST_TASK_MS);
        } catch (TimeoutException e) {
            LOG.warn("{}: Spark's events are late", id);
        }
        synchronized (this) {
            for (long left = end - System.nanoTime(); !running.isEmpty() && left > 0; left = end - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
            if (!running.isEmpty()) {
                LOG.warn("{}: {} tasks still run", id, running.size());
            }
        }
    }

    /** Ends the job when a task of it has failed as often as it may. */
    @Override
    public void onTaskEnd(SparkListenerTaskEnd task) {
        synchronized (this) {
            running.remove(task.taskInfo().taskId());
            notifyAll();
            if (!stages.contains(task.stageId())
                    || !(task.reason() instanceof TaskFailedReason reason)
                    || !reason.countTowardsTaskFailures()) {
                return;
            }
            boolean isMap = task.stageId() == mapStage;
            lastFailure = reason.toErrorString();
            failedMaps += isMap ? 1 : 0;
            failedReduces += isMap ? 0 : 1;
            String of = task.stageId() + " " + task.taskInfo().partitionId();
            int most = isMap ? conf.getMaxMapAttempts() : conf.getMaxReduceAttempts();
            if (failures.merge(of, 1, Integer::sum) < most) {
                return;
            }
        }
        spark.cancelJobGroup(id.toString());
    }

    synchronized boolean hasEnded() {
        return ended > 0;
    }

    synchronized JobStatus status() {
        boolean isDone = state == State.SUCCEEDED;
        int reducers = conf.getNumReduceTasks();
        float mapped = isDone ? 1 : share(maps.count(), mapCount);
        float reduced = isDone ? 1 : share(reduces.count(), reducers);
        return new Said(
                id,
                state == State.PREP ? 0 : 1,
                mapped,
                reduced,
                ended > 0 ? 1 : 0,
                state,
                conf.getUser(),
                conf.getJobName(),
                folder + "/job.xml",
                begun,
                ended,
                failure,
                conf.getQueueName());
    }

    private static float share(int done, int all) {
        return all == 0 ? 0 : (float) done / all;
    }

    /** All tasks' counters together, and those of the job itself. */
    synchronized org.apache.hadoop.mapreduce.Counters counters() {
        Counters sum = new Counters();
        maps.tasks().values().forEach(task -> sum.incrAllCounters(task.read()));
        reduces.tasks().values().forEach(task -> sum.incrAllCounters(task.read()));
        add(sum, JobCounter.TOTAL_LAUNCHED_MAPS, launchedMaps);
        add(sum, JobCounter.TOTAL_LAUNCHED_REDUCES, launchedReduces);
        add(sum, JobCounter.NUM_FAILED_MAPS, failedMaps);
        add(sum, JobCounter.NUM_FAILED_REDUCES, failedReduces);
        return new org.apache.hadoop.mapreduce.Counters(sum);
    }

    private static void add(Counters sum, JobCounter counter, long value) {
        if (value > 0) {
            sum.findCounter(counter).increment(value);
        }
    }

    /** A report on each task that is done. */
    TaskReport[] reports(TaskType type) {
        Map<Integer, TaskDone> done = (type == TaskType.MAP ? maps : reduces).tasks();
        List<TaskReport> found = new ArrayList<>();
        done.values().forEach(task -> {
            TaskAttemptID attempt = TaskAttemptID.forName(task.attempt());
            found.add(new TaskReport(
                    org.apache.hadoop.mapred.TaskID.downgrade(attempt.getTaskID()),
                    1,
                    State.SUCCEEDED.name(),
                    new String[0],
                    TIPStatus.COMPLETE,
                    task.begun(),
                    task.ended(),
                    new org.apache.hadoop.mapreduce.Counters(task.read())));
        });
        return found.toArray(TaskReport[]::new);
    }

    /** The ends of tasks, as far as they are known, maps first. */
    TaskCompletionEvent[] events(int from, int most) {
        List<TaskDone> done = new ArrayList<>(maps.tasks().values());
        done.addAll(reduces.tasks().values());
        List<TaskCompletionEvent> found = new ArrayList<>();
        for (int i = from; i < Math.min((long) from + most, done.size()); ++i) {
            TaskDone task = done.get(i);
            TaskAttemptID attempt = TaskAttemptID.forName(task.attempt());
            found.add(new TaskCompletionEvent(
                    i,
                    attempt,
                    attempt.getTaskID().getId(),
                    attempt.getTaskType() == TaskType.MAP,
                    TaskCompletionEvent.Status.SUCCEEDED,
                    ""));
        }
        return found.toArray(TaskCompletionEvent[]::new);
    }

    /** A status of Hadoop's with what its constructors and its wire leave out. */
    private static final class Said extends JobStatus {
        Said() {} // for the other end of a wire

        Said(
                JobID id,
                float setup,
                float mapped,
                float reduced,
                float cleanup,
                State state,
                String user,
                String name,
                String file,
                long begun,
                long ended,
                String failure,
                String queue) {
            super(id, setup, mapped, reduced, cleanup, state, JobPriority.NORMAL, user, name, queue, file, "");
            setStartTime(begun);
            setFinishTime(ended);
            setFailureInfo(failure);
        }

        @Override
        public synchronized void write(DataOutput out) throws IOException {
            super.write(out);
            Text.writeString(out, getFailureInfo());
        }

        @Override
        public synchronized void readFields(DataInput in) throws IOException {
            super.readFields(in);
            setFailureInfo(Text.readString(in));
        }
    }
}
