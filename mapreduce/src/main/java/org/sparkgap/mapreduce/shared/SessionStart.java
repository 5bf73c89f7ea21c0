// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shared;

import java.io.File;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.apache.spark.SparkContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sparkgap.mapreduce.job.Session;

/** How a client comes to a session: it finds one, or starts one with spark-submit, under the session's lock. */
final class SessionStart {
    private static final Logger LOG = LoggerFactory.getLogger("sparkgap");
    private static final String IDLE = SharedJobs.SESSION + ".idle";
    private static final String IDLE_DEFAULT = "10m";
    private static final long START_MINUTES = 5;
    private static final int PRESENT_MS = 50;
    private static final int LAST_LINES = 5;

    private SessionStart() {}

    /** A connection that the session has answered, or null where there is none and none is to be started. */
    static Connection connect(String name, Configuration conf, boolean isStarted) throws IOException {
        SessionFolder folder = SessionFolder.of(name);
        try (SessionFolder.Held ignored = folder.lock()) {
            SocketChannel channel = folder.connect();
            if (channel == null && !isStarted) {
                return null;
            }
            Connection made = new Connection(folder, channel == null ? started(folder, conf) : channel);
            made.call(ClientProtocol.class.getMethod("getClusterMetrics"));
            return made;
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    private static SocketChannel started(SessionFolder folder, Configuration conf) throws IOException {
        folder.clear(ClientClasses.OF_CLIENTS); // this client may be writing one of them
        folder.write("settings", SessionSettings.of(conf));
        LOG.info("session {}: starts; its log is {}", folder.name(), folder.log());
        Process process = new ProcessBuilder(command(folder, conf))
                .redirectErrorStream(true)
                .redirectInput(new File("/dev/null"))
                .redirectOutput(folder.log().toFile())
                .start();
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(START_MINUTES);
        SocketChannel channel = folder.connect();
        while (channel == null) {
            boolean isAlive = process.isAlive();
            if (!isAlive || System.nanoTime() > end) {
                process.destroy();
                List<String> lines = Files.readAllLines(folder.log());
                throw new IOException("session " + folder.name() + ": expected Spark within " + START_MINUTES
                        + " minutes, found that it " + (isAlive ? "does not start" : "has ended")
                        + ". Do look into " + folder.log() + ":\n"
                        + String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size())));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PRESENT_MS));
            channel = folder.connect();
        }
        return channel;
    }

    /** In a group of processes of its own: Ctrl-C at the client is none at the session. */
    private static List<String> command(SessionFolder folder, Configuration conf) throws IOException {
        long idle = idleMs(conf);
        String own = Session.jarOf(SharedSession.class);
        List<String> words = new ArrayList<>(List.of("setsid", submit().toString()));
        words.addAll(List.of("--class", SharedSession.class.getName(), "--deploy-mode", "client"));
        words.addAll(List.of("--name", "sparkgap mapreduce " + folder.name()));
        Session.asked(conf).forEach((key, value) -> words.addAll(List.of("--conf", key + "=" + value)));
        words.addAll(List.of(own, folder.path().toString(), Long.toString(idle)));
        return words;
    }

    private static long idleMs(Configuration conf) throws IOException {
        String asked = conf.get(IDLE, System.getProperty(IDLE, IDLE_DEFAULT));
        Configuration own = new Configuration(false);
        own.set(IDLE, asked);
        try {
            return own.getTimeDuration(IDLE, 0, TimeUnit.SECONDS, TimeUnit.MILLISECONDS);
        } catch (NumberFormatException e) {
            throw new IOException(IDLE + ": expected a time such as 30s or 10m, found \"" + asked + "\". Do give one.");
        }
    }

    /** That of SPARK_HOME, else of the Spark whose jars this program has. */
    private static Path submit() throws IOException {
        String home = System.getenv("SPARK_HOME");
        Path found = home != null
                ? Path.of(home)
                : Path.of(Session.jarOf(SparkContext.class)).getParent().getParent();
        Path submit = found.resolve("bin").resolve("spark-submit");
        if (!Files.isExecutable(submit)) {
            throw new IOException("SPARK_HOME: expected a folder with bin/spark-submit, which starts a session, found "
                    + found + ". Do set it.");
        }
        return submit;
    }
}
