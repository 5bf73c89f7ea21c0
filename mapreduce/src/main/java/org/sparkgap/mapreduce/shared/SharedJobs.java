// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shared;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.sparkgap.mapreduce.job.SparkJobs;

/**
 * Jobs of a session that other programs share, by its name: started by the first that brings a job, and found by those
 * that only ask. All that a program has of one session goes over one connection.
 */
public final class SharedJobs implements InvocationHandler {
    /** The setting that names a session; without it Spark is in the program itself. */
    public static final String SESSION = "sparkgap.mapreduce.session";

    private static final Set<String> STARTING = Set.of("getNewJobID", "submitJob");
    /** Of the session, which runs a job and outlives the client: there are the folders, all in one file system. */
    private static final Set<String> PLACES = Set.of("getStagingAreaDir", "getSystemDir", "getFilesystemName");

    private static final Map<String, Connection> KNOWN = new HashMap<>();

    private final String name;
    private final Configuration conf;
    private final SparkJobs none;
    private Connection checked;

    private SharedJobs(String name, Configuration conf) {
        this.name = name;
        this.conf = conf;
        this.none = new SparkJobs(conf);
    }

    /** The session that a configuration, or a property of the JVM, names; null where neither does. */
    public static ClientProtocol of(Configuration conf) {
        String name = conf.get(SESSION, System.getProperty(SESSION));
        return name == null || name.isEmpty()
                ? null
                : (ClientProtocol) Proxy.newProxyInstance(
                        SharedJobs.class.getClassLoader(),
                        new Class<?>[] {ClientProtocol.class},
                        new SharedJobs(name, conf));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] words) throws Throwable {
        boolean isPlace = PLACES.contains(method.getName());
        Connection found = Wire.has(method) || isPlace ? found(isPlace || STARTING.contains(method.getName())) : null;
        try {
            if (isPlace) {
                return method.invoke(new SparkJobs(conf, found.owner(), found.isLocal()), words);
            }
            return found == null ? method.invoke(none, words) : found.call(method, words);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        } catch (RemoteException e) {
            throw e.unwrapRemoteException();
        }
    }

    private Connection found(boolean isStarted) throws IOException {
        synchronized (KNOWN) {
            Connection known = KNOWN.get(name);
            if (known == null || known.isLost()) {
                known = SessionStart.connect(name, conf, isStarted);
                KNOWN.put(name, known);
            }
            if (known != null && known != checked) {
                known.check(conf);
                checked = known;
            }
            return known;
        }
    }
}
