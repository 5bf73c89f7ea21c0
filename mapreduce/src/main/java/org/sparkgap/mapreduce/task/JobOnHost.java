// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.spark.SparkEnv;
import org.sparkgap.mapreduce.chain.ChainFileSystem;
import org.sparkgap.mapreduce.format.MeasuredConf;

/**
 * A job in this JVM: its configuration, parsed once, its files and its classes. The last few jobs stay, for a job's
 * next tasks, or the next stage; the folder of one that goes is removed.
 */
public final class JobOnHost {
    private static final int KEPT = 8;
    private static final Map<String, JobOnHost> KNOWN = new LinkedHashMap<>(16, 0.75f, true);

    private final JobDescription description;
    private final JobConf conf;
    private final JobFiles files;
    private final JobClasses classes;
    private int users;

    private JobOnHost(JobDescription description) throws IOException {
        this.description = description;
        this.conf = description.read();
        ChainFileSystem.use(conf);
        // It goes with Spark's own files. Utils.getLocalDir differs between Sparks.
        File root = SparkEnv.get().blockManager().diskBlockManager().localDirs()[0];
        Path folder = Files.createTempDirectory(root.toPath(), "mapreduce-");
        try {
            this.files = JobFiles.fetch(conf, description.folder(), folder);
        } catch (IOException | RuntimeException e) {
            FileUtil.fullyDelete(folder.toFile());
            throw e;
        }
        this.classes = new JobClasses(conf, files.classPath());
    }

    /** The job, made where this JVM does not know it yet; {@link #release} when its task has ended. */
    public static synchronized JobOnHost of(JobDescription description) throws IOException {
        JobOnHost job = KNOWN.get(description.id());
        if (job == null) {
            job = new JobOnHost(description);
            KNOWN.put(description.id(), job);
        }
        ++job.users;
        return job;
    }

    /** A task of it, or its driver, has ended. */
    public void release() {
        synchronized (JobOnHost.class) {
            --users;
            Iterator<JobOnHost> oldest = KNOWN.values().iterator();
            while (KNOWN.size() > KEPT && oldest.hasNext()) {
                JobOnHost job = oldest.next();
                if (job.users == 0) {
                    oldest.remove();
                    job.classes.close();
                    FileUtil.fullyDelete(job.files.folder().toFile());
                }
            }
        }
    }

    public JobID id() {
        return JobID.forName(description.id());
    }

    /** Hadoop's name of the file that has its configuration. */
    String file() {
        return description.folder() + "/job.xml";
    }

    JobFiles files() {
        return files;
    }

    /** A configuration that a task may change, with a loader of classes. */
    public MeasuredConf conf(ClassLoader loader) {
        MeasuredConf own = new MeasuredConf(conf);
        own.setClassLoader(loader);
        own.setCredentials(conf.getCredentials());
        return own;
    }

    /** A folder of one task's own. */
    Path makeFolder() throws IOException {
        return Files.createTempDirectory(files.folder(), "task-");
    }

    /** A loader that no other task has, nor the driver. */
    public ClassLoader takeLoader() {
        return classes.take();
    }

    /** For the next one, if that may have it. */
    public void giveBack(ClassLoader loader) {
        classes.giveBack(loader);
    }

    /** One of a task that failed has static fields of no use. */
    void discard(ClassLoader loader) {
        classes.discard(loader);
    }
}
