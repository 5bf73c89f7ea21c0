// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.task;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Native;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.mapred.JobConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A working folder for one task, though others run in its JVM: relative names that its thread opens, and programs that
 * it starts, are there, as in a container of YARN. Linux has a working folder for each thread that asks for one
 * (unshare(2), CLONE_FS), and Hadoop's local file system is told of it.
 *
 * <p>Threads that the task starts have it too. Where the kernel does not allow it, as in containers without that call,
 * only Hadoop's file system has it; it is said once.
 */
final class WorkingFolder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("sparkgap");
    private static final String FOLDER = "sparkgap.mapreduce.working.folder";
    private static final String LOCAL = "fs.file.impl";
    private static final int CLONE_FS = 0x200;
    private static final String BEFORE = System.getProperty("user.dir");
    private static volatile boolean isSaid;
    private final boolean isEntered;

    private WorkingFolder(boolean isEntered) {
        this.isEntered = isEntered;
    }

    /** Calls of the C library. */
    public interface Calls extends Library {
        int unshare(int flags) throws LastErrorException;

        int chdir(String folder) throws LastErrorException;
    }

    private static final class Loaded {
        private static final Calls C = Native.load("c", Calls.class);
    }

    /** This thread's, until it is closed; and that of file systems which the configuration makes. */
    static WorkingFolder enter(Path folder, JobConf conf) {
        conf.set(FOLDER, folder.toString());
        if (conf.getClass(LOCAL, LocalFileSystem.class) == LocalFileSystem.class) {
            conf.setClass(LOCAL, InFolder.class, LocalFileSystem.class);
            conf.setBoolean(LOCAL + ".disable.cache", true);
        }
        return new WorkingFolder(changed(folder.toString(), true));
    }

    private static boolean changed(String folder, boolean isOwn) {
        try {
            if (isOwn) {
                Loaded.C.unshare(CLONE_FS);
            }
            Loaded.C.chdir(folder);
            return true;
        } catch (LastErrorException | LinkageError e) {
            if (!isSaid) {
                isSaid = true;
                LOG.warn(
                        "mapreduce: tasks share the working folder {} here, for the kernel refuses them one: {}",
                        BEFORE,
                        e.toString());
            }
            return false;
        }
    }

    @Override
    public void close() {
        if (isEntered) {
            changed(BEFORE, false);
        }
    }

    /** Hadoop's local file system, in which relative names are of the task's folder. */
    public static final class InFolder extends LocalFileSystem {
        @Override
        public void initialize(URI uri, Configuration conf) throws IOException {
            super.initialize(uri, conf);
            setWorkingDirectory(new org.apache.hadoop.fs.Path(conf.get(FOLDER)));
        }
    }
}
