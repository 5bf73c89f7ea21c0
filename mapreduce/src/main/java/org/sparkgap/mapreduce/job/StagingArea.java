// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.job;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where jobs' folders are: one for each process that runs jobs, in the user's staging area. A process that is killed
 * leaves its own; the next one on its host removes it.
 */
final class StagingArea {
    private static final Logger LOG = LoggerFactory.getLogger("sparkgap");
    private static final String PREFIX = "sparkgap-";
    /** Those of other hosts, or of containers on this one, cannot be asked whether they live. */
    private static final String HOST = PREFIX + host() + "-";

    private static final Pattern PROCESS = Pattern.compile("\\d{1,18}-\\d+");

    /** The name of this process's folder: its host, its number, when it began. */
    static final String OWNER = HOST + process(ProcessHandle.current());

    private static final Map<Path, FileSystem> ENTERED = new ConcurrentHashMap<>();

    private StagingArea() {}

    /** The folder of a process, below that of its user. */
    static Path of(Path user, String owner) {
        return new Path(new Path(user, ".staging"), owner);
    }

    private static String host() {
        try {
            String boot = Files.readString(java.nio.file.Path.of("/proc/sys/kernel/random/boot_id"));
            String namespace = Files.readSymbolicLink(java.nio.file.Path.of("/proc/self/ns/pid"))
                    .toString();
            return InetAddress.getLocalHost().getHostName() + "-" + Integer.toHexString(Objects.hash(boot, namespace));
        } catch (IOException e) {
            return "unknown-" + Long.toHexString(System.nanoTime());
        }
    }

    private static String process(ProcessHandle process) {
        long begun = process.info()
                .startInstant()
                .map(java.time.Instant::toEpochMilli)
                .orElse(0L);
        return process.pid() + "-" + begun;
    }

    /** The first job of a folder removes what processes that were killed have left beside it. */
    static void enter(FileSystem files, Path own) {
        if (!own.getName().startsWith(PREFIX) || ENTERED.putIfAbsent(own, files) != null) {
            return;
        }
        try {
            for (FileStatus each : files.listStatus(own.getParent())) {
                if (isLeft(each.getPath().getName())) {
                    LOG.info("{}: left by a process that was killed, removed", each.getPath());
                    files.delete(each.getPath(), true);
                }
            }
        } catch (IOException e) {
            LOG.warn("{}: could not be looked through", own.getParent(), e);
        }
    }

    private static boolean isLeft(String name) {
        if (!name.startsWith(HOST)) {
            return false;
        }
        String process = name.substring(HOST.length());
        if (!PROCESS.matcher(process).matches()) {
            return false;
        }
        long pid = Long.parseLong(process.substring(0, process.indexOf('-')));
        return ProcessHandle.of(pid).map(StagingArea::process).stream().noneMatch(process::equals);
    }

    /** Removes this process's folders, where no job that was killed is left in them. */
    static void leave() {
        ENTERED.forEach((own, files) -> {
            try {
                files.delete(own, false);
            } catch (IOException e) {
                LOG.warn("{}: could not be removed", own, e);
            }
        });
    }
}
