// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shared;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.ObjectWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;

/** Calls of Hadoop's ClientProtocol and their replies on a socket, as Hadoop's Writables. */
final class Wire implements Closeable {
    /** Those that ask the session; all others are about the client's own files and settings. */
    private static final Map<String, Method> METHODS = Arrays.stream(ClientProtocol.class.getMethods())
            .filter(method -> Set.of(
                            "getNewJobID",
                            "submitJob",
                            "killJob",
                            "getJobStatus",
                            "getJobCounters",
                            "getTaskReports",
                            "getTaskCompletionEvents",
                            "getAllJobs",
                            "getClusterMetrics")
                    .contains(method.getName()))
            .collect(Collectors.toMap(Method::getName, Function.identity()));

    /** A call, as it came. */
    record Call(Method method, Object[] words) {}

    private final SocketChannel channel;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final Configuration conf = new Configuration(false);

    Wire(SocketChannel channel) {
        this.channel = channel;
        this.in = new DataInputStream(new BufferedInputStream(Channels.newInputStream(channel)));
        this.out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel)));
    }

    static boolean has(Method method) {
        return method.equals(METHODS.get(method.getName()));
    }

    void ask(Method method, Object... words) throws IOException {
        Text.writeString(out, method.getName());
        for (int i = 0; i < method.getParameterCount(); ++i) {
            ObjectWritable.writeObject(out, words[i], method.getParameterTypes()[i], conf, true);
        }
        out.flush();
    }

    /** The next call; EOFException where its client has gone. */
    Call hear() throws IOException {
        Method method = METHODS.get(Text.readString(in));
        if (method == null) {
            throw new IOException("an unknown call");
        }
        Object[] words = new Object[method.getParameterCount()];
        for (int i = 0; i < words.length; ++i) {
            words[i] = ObjectWritable.readObject(in, conf);
        }
        return new Call(method, words);
    }

    void answer(Method method, Object found) throws IOException {
        out.writeBoolean(true);
        ObjectWritable.writeObject(out, found, method.getReturnType(), conf, true);
        out.flush();
    }

    void refuse(Throwable why) throws IOException {
        out.writeBoolean(false);
        Text.writeString(out, why.getClass().getName());
        Text.writeString(out, String.valueOf(why.getMessage()));
        out.flush();
    }

    /** What the last call gave; what it threw is a RemoteException. */
    Object reply() throws IOException {
        if (in.readBoolean()) {
            return ObjectWritable.readObject(in, conf);
        }
        throw new RemoteException(Text.readString(in), Text.readString(in));
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
