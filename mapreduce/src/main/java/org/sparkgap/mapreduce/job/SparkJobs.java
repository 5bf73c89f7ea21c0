// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.job;

import java.io.IOException;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.ipc.ProtocolSignature;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Cluster.JobTrackerStatus;
import org.apache.hadoop.mapreduce.ClusterMetrics;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.QueueAclsInfo;
import org.apache.hadoop.mapreduce.QueueInfo;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskTrackerInfo;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.apache.hadoop.mapreduce.security.token.delegation.DelegationTokenIdentifier;
import org.apache.hadoop.mapreduce.v2.LogParams;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.AccessControlList;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.ShutdownHookManager;

/** What Hadoop's clients take for the cluster: it has the jobs of this JVM, and runs them on its Spark. */
public final class SparkJobs implements ClientProtocol {
    /** What Hadoop's own settings name. */
    private static final String STAGING = "/tmp/hadoop-yarn/staging";

    private static final int KEPT = 200;
    /** Before Spark stops, and file systems close. */
    private static final int BEFORE_SPARK = 200;

    private static final long LAST_MS = 15_000;
    private static final long HEARTBEAT_MS = 10_000;
    /** All jobs of this JVM: a client may ask for one that another has submitted. */
    private static final Map<JobID, RunningJob> JOBS = new ConcurrentSkipListMap<>();

    private static final String CLUSTER = Long.toString(System.currentTimeMillis());
    private static final AtomicInteger LAST = new AtomicInteger();

    static {
        ShutdownHookManager.get().addShutdownHook(SparkJobs::endAll, BEFORE_SPARK, 2 * LAST_MS, TimeUnit.MILLISECONDS);
    }

    private final Configuration client;
    private final String owner;
    private final boolean isLocal;

    /** Jobs that this JVM runs. */
    public SparkJobs(Configuration client) {
        this(client, StagingArea.OWNER, Session.isLocal(client));
    }

    /**
     * Jobs that another runs.
     *
     * @param owner of their folders
     * @param isLocal whether all of its Spark is in its process
     */
    public SparkJobs(Configuration client, String owner, boolean isLocal) {
        this.client = client;
        this.owner = owner;
        this.isLocal = isLocal;
    }

    /** How many jobs of this JVM have not ended. */
    public static long running() {
        return JOBS.values().stream().filter(job -> !job.progress().hasEnded()).count();
    }

    /** Whose this JVM's jobs are. */
    public static String owner() {
        return StagingArea.OWNER;
    }

    @Override
    public JobID getNewJobID() {
        return new JobID(CLUSTER, LAST.incrementAndGet());
    }

    @Override
    public JobStatus submitJob(JobID id, String folder, Credentials credentials) throws IOException {
        Path place = new Path(folder);
        FileSystem files = place.getFileSystem(client);
        StagingArea.enter(files, place.getParent());
        JobConf conf = new JobConf(false);
        conf.addResource(files.open(new Path(place, "job.xml")), folder + "/job.xml");
        conf.size(); // it reads the stream now
        RunningJob job = new RunningJob(id, place, files, conf, credentials);
        forgetOldest();
        JOBS.put(id, job);
        Thread thread = new Thread(job, "sparkgap " + id);
        thread.setDaemon(true);
        thread.start();
        return job.progress().status();
    }

    /** Jobs end with the program that runs them: their output is aborted, and the staging area empty again. */
    private static void endAll() {
        JOBS.values().stream().filter(job -> !job.progress().hasEnded()).forEach(RunningJob::kill);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LAST_MS);
        while (running() > 0 && System.nanoTime() < end) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        StagingArea.leave();
    }

    /** Counters of every task are a job's, and a program may run jobs for days. */
    private static void forgetOldest() {
        long ended = JOBS.size() - running();
        Iterator<RunningJob> oldest = JOBS.values().iterator();
        while (ended > KEPT && oldest.hasNext()) {
            if (oldest.next().progress().hasEnded()) {
                oldest.remove();
                --ended;
            }
        }
    }

    @Override
    public void killJob(JobID id) {
        RunningJob job = JOBS.get(id);
        if (job != null) {
            job.kill();
        }
    }

    @Override
    public JobStatus getJobStatus(JobID id) {
        RunningJob job = JOBS.get(id);
        return job == null ? null : job.progress().status();
    }

    @Override
    public Counters getJobCounters(JobID id) {
        RunningJob job = JOBS.get(id);
        return job == null ? new Counters() : job.progress().counters();
    }

    @Override
    public TaskReport[] getTaskReports(JobID id, TaskType type) {
        RunningJob job = JOBS.get(id);
        return job == null ? new TaskReport[0] : job.progress().reports(type);
    }

    @Override
    public TaskCompletionEvent[] getTaskCompletionEvents(JobID id, int from, int most) {
        RunningJob job = JOBS.get(id);
        return job == null ? new TaskCompletionEvent[0] : job.progress().events(from, most);
    }

    @Override
    public JobStatus[] getAllJobs() {
        return JOBS.values().stream().map(job -> job.progress().status()).toArray(JobStatus[]::new);
    }

    /**
     * Where Hadoop's own client puts a job on YARN: a folder of the default file system, which executors see; of this
     * host's own where they are all in one process. Executors of other hosts do not see this one's {@code /tmp}: where
     * the default file system is that of the hosts, it is the user's home, unless a setting names another folder.
     */
    @Override
    public String getStagingAreaDir() throws IOException {
        FileSystem files = files();
        String user = UserGroupInformation.getCurrentUser().getShortUserName();
        String root = client.get(MRJobConfig.MR_AM_STAGING_DIR, STAGING);
        boolean atHome =
                root.equals(STAGING) && !isLocal && files.getUri().getScheme().equals("file");
        Path ofUser = atHome ? files.getHomeDirectory() : new Path(root, user);
        return files.makeQualified(StagingArea.of(ofUser, owner)).toString();
    }

    /** Nothing is put there; Hadoop's client takes its file system for that of the staging area. */
    @Override
    public String getSystemDir() throws IOException {
        return files().makeQualified(new Path(STAGING)).toString();
    }

    @Override
    public String getFilesystemName() throws IOException {
        return files().getUri().toString();
    }

    private FileSystem files() throws IOException {
        return isLocal ? FileSystem.getLocal(client) : FileSystem.get(client);
    }

    @Override
    public ClusterMetrics getClusterMetrics() {
        int cores = Runtime.getRuntime().availableProcessors();
        return new ClusterMetrics(0, 0, 0, 0, 0, 0, cores, cores, LAST.get(), 1, 0, 0, (int) running());
    }

    @Override
    public JobTrackerStatus getJobTrackerStatus() {
        return JobTrackerStatus.RUNNING;
    }

    @Override
    public long getTaskTrackerExpiryInterval() {
        return HEARTBEAT_MS;
    }

    /** Spark's scheduler knows no order of jobs. */
    @Override
    public void setJobPriority(JobID id, String priority) {
        throw unsupported("priorities of jobs");
    }

    @Override
    public boolean killTask(TaskAttemptID task, boolean shouldFail) {
        throw unsupported("the end of one attempt");
    }

    @Override
    public String[] getTaskDiagnostics(TaskAttemptID task) {
        return new String[0];
    }

    @Override
    public LogParams getLogFileParams(JobID id, TaskAttemptID task) {
        throw unsupported("logs of single tasks, which are in those of Spark's executors");
    }

    @Override
    public String getJobHistoryDir() {
        return null;
    }

    @Override
    public AccessControlList getQueueAdmins(String queue) {
        return new AccessControlList(" ");
    }

    @Override
    public TaskTrackerInfo[] getActiveTrackers() {
        return new TaskTrackerInfo[0];
    }

    @Override
    public TaskTrackerInfo[] getBlacklistedTrackers() {
        return new TaskTrackerInfo[0];
    }

    @Override
    public QueueInfo[] getQueues() {
        return new QueueInfo[0];
    }

    @Override
    public QueueInfo getQueue(String name) {
        return null;
    }

    @Override
    public QueueAclsInfo[] getQueueAclsForCurrentUser() {
        return new QueueAclsInfo[0];
    }

    @Override
    public QueueInfo[] getRootQueues() {
        return new QueueInfo[0];
    }

    @Override
    public QueueInfo[] getChildQueues(String name) {
        return new QueueInfo[0];
    }

    @Override
    public Token<DelegationTokenIdentifier> getDelegationToken(Text renewer) {
        return null;
    }

    @Override
    public long renewDelegationToken(Token<DelegationTokenIdentifier> token) {
        return 0;
    }

    @Override
    public void cancelDelegationToken(Token<DelegationTokenIdentifier> token) {}

    @Override
    public long getProtocolVersion(String protocol, long version) {
        return versionID;
    }

    @Override
    public ProtocolSignature getProtocolSignature(String protocol, long version, int hash) throws IOException {
        return ProtocolSignature.getProtocolSignature(this, protocol, version, hash);
    }

    private static UnsupportedOperationException unsupported(String what) {
        return new UnsupportedOperationException("mapreduce.framework.name=sparkgap does not know " + what);
    }
}
