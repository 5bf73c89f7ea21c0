// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shared;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.RemoteException;
import org.sparkgap.mapreduce.job.Session;

/** This program's connection to a shared session; one call at a time, each with a deadline. */
final class Connection {
    private static final long CALL_SECONDS = 120;
    private static final ScheduledExecutorService DEADLINES = Executors.newSingleThreadScheduledExecutor(body -> {
        Thread made = new Thread(body, "sparkgap deadlines");
        made.setDaemon(true);
        return made;
    });

    private final SessionFolder folder;
    private final Wire wire;
    private final String settings;
    private final String owner;
    private final boolean isLocal;
    private boolean isLost;

    /** To a session that has written into its folder what it is. */
    Connection(SessionFolder folder, SocketChannel channel) throws IOException {
        this.folder = folder;
        this.wire = new Wire(channel);
        this.settings = folder.read("settings");
        this.owner = folder.read("owner");
        this.isLocal = Session.isLocal(folder.read("master"));
    }

    /** Whose the folders of its jobs are. */
    String owner() {
        return owner;
    }

    boolean isLocal() {
        return isLocal;
    }

    synchronized boolean isLost() {
        return isLost;
    }

    /** Refuses a configuration with other settings of Spark than the session was started with. */
    void check(Configuration conf) throws IOException {
        SessionSettings.check(folder.name(), settings, SessionSettings.of(conf));
    }

    synchronized Object call(Method method, Object... words) throws IOException {
        Future<?> deadline = DEADLINES.schedule(this::close, CALL_SECONDS, TimeUnit.SECONDS);
        try {
            wire.ask(method, words);
            return wire.reply();
        } catch (RemoteException e) {
            throw e;
        } catch (IOException e) {
            isLost = true;
            close();
            throw new IOException(
                    "session " + folder.name() + ": expected an answer within " + CALL_SECONDS
                            + " s, found that it has ended or hangs. Do look into " + folder.log()
                            + ", and run the job again.",
                    e);
        } finally {
            deadline.cancel(false);
        }
    }

    void close() {
        try {
            wire.close();
        } catch (IOException e) { // it is closed all the same
        }
    }
}
