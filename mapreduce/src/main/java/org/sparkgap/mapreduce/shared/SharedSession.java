// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shared;

import java.io.EOFException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.StandardProtocolFamily;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import jdk.net.ExtendedSocketOptions;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sparkgap.mapreduce.chain.ChainFileSystem;
import org.sparkgap.mapreduce.job.Session;
import org.sparkgap.mapreduce.job.SparkJobs;

/**
 * The program that a shared session is: one Spark, and a socket on which this user's clients bring jobs. It ends when
 * nobody has been connected, and no job has run, for some time. A job goes on when its client has gone.
 */
public final class SharedSession {
    private static final Logger LOG = LoggerFactory.getLogger("sparkgap");
    private static final long TICK_MS = 100;
    private static final long QUIET_MS = 1000;

    private final SessionFolder folder;
    private final ClientClasses classes;
    private final long idleMs;
    private final SparkJobs jobs;
    private int clients;
    private long lastUse = System.nanoTime();

    private SharedSession(SessionFolder folder, long idleMs, SparkJobs jobs) {
        this.folder = folder;
        this.classes = new ClientClasses(folder);
        this.idleMs = idleMs;
        this.jobs = jobs;
    }

    /** Its words: its folder, and how many milliseconds it may be idle. */
    public static void main(String[] words) throws IOException {
        SessionFolder folder = SessionFolder.at(Path.of(words[0]));
        Configuration conf = new Configuration();
        ChainFileSystem.use(conf);
        String master = Session.start(conf);
        SharedSession session = new SharedSession(folder, Long.parseLong(words[1]), new SparkJobs(conf));
        Runtime.getRuntime().addShutdownHook(new Thread(session.classes::end));
        folder.write("pid", Long.toString(ProcessHandle.current().pid()));
        folder.write("owner", SparkJobs.owner());
        folder.write("master", master);
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(folder.address());
            LOG.info("session {}: listens", folder.name());
            thread("sparkgap clients", () -> session.accept(server));
            session.awaitIdle();
        }
        LOG.info("session {}: ends, idle for {} s", folder.name(), TimeUnit.MILLISECONDS.toSeconds(session.idleMs));
        System.exit(0); // Spark's hook stops it
    }

    private static void thread(String name, Runnable body) {
        Thread made = new Thread(body, name);
        made.setDaemon(true);
        made.start();
    }

    private void accept(ServerSocketChannel server) {
        while (server.isOpen()) {
            try {
                SocketChannel channel = server.accept();
                count(1);
                thread("sparkgap client", () -> serve(channel));
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) { // out of files, for example
                LOG.warn("session {}: takes no client", folder.name(), e);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(TICK_MS));
            }
        }
    }

    private synchronized void count(int more) {
        clients += more;
        lastUse = System.nanoTime();
    }

    /** Answers one client until it goes. */
    private void serve(SocketChannel channel) {
        try (Wire wire = new Wire(channel)) {
            // The folder lets nobody else in; whoever came by another way is sent away.
            UserPrincipal peer =
                    channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
            if (!peer.equals(SessionFolder.user())) {
                throw new IOException("a client of " + peer.getName());
            }
            while (true) {
                Wire.Call call = wire.hear();
                try {
                    wire.answer(call.method(), call.method().invoke(jobs, call.words()));
                } catch (InvocationTargetException e) {
                    wire.refuse(e.getCause());
                }
            }
        } catch (EOFException e) {
            LOG.debug("session {}: a client has gone", folder.name());
        } catch (IOException | ReflectiveOperationException | RuntimeException e) {
            LOG.warn("session {}: a client is cut off", folder.name(), e);
        } finally {
            count(-1);
        }
    }

    private synchronized boolean isIdle(long forMs) {
        if (clients > 0 || SparkJobs.running() > 0) {
            lastUse = System.nanoTime();
        }
        return System.nanoTime() - lastUse > TimeUnit.MILLISECONDS.toNanos(forMs);
    }

    /** Until it is idle and nobody can come any more. */
    private void awaitIdle() throws IOException {
        while (true) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(TICK_MS));
            if (isIdle(QUIET_MS) && classes.isAskedFor()) {
                thread("sparkgap class archive", classes::make);
            }
            if (!isIdle(idleMs)) {
                continue;
            }
            try (SessionFolder.Held held = folder.tryLock()) { // whoever comes holds it until it has an answer
                if (held != null && isIdle(idleMs)) {
                    classes.end();
                    folder.clear();
                    return;
                }
            }
        }
    }
}
