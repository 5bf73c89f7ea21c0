// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shared;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.sparkgap.mapreduce.job.Session;

/** What a session is started with: settings of Spark, the user, our jar, and where the cluster's configuration is. */
final class SessionSettings {
    private static final List<String> VARIABLES =
            List.of("HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_CONF_DIR", "SPARK_HOME");

    private SessionSettings() {}

    /** A line for each, in order. */
    static String of(Configuration conf) throws IOException {
        Map<String, String> found = new TreeMap<>(Session.asked(conf));
        VARIABLES.forEach(name -> {
            if (System.getenv(name) != null) {
                found.put(name, System.getenv(name));
            }
        });
        found.put("user", UserGroupInformation.getCurrentUser().getUserName());
        found.put("sparkgap", build(Path.of(Session.jarOf(SessionSettings.class))));
        return found.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue().replace("\n", "\\n") + "\n")
                .collect(Collectors.joining());
    }

    /** The version of a jar of ours, and a sum of its bytes: a client and its session must be of one. */
    private static String build(Path jar) throws IOException {
        CRC32 sum = new CRC32();
        if (Files.isRegularFile(jar)) { // else it is a folder of classes
            sum.update(Files.readAllBytes(jar));
        }
        String version = SessionSettings.class.getPackage().getImplementationVersion();
        return (version == null ? "" : version + " ") + Long.toHexString(sum.getValue());
    }

    /** Refuses a client that asks for another session than the name is of. */
    static void check(String name, String started, String asked) throws IOException {
        if (started.equals(asked)) {
            return;
        }
        Map<String, String> has = parsed(started);
        Map<String, String> wants = parsed(asked);
        TreeSet<String> keys = new TreeSet<>(has.keySet());
        keys.addAll(wants.keySet());
        String key = keys.stream()
                .filter(each -> !Objects.equals(has.get(each), wants.get(each)))
                .findFirst()
                .orElseThrow();
        throw new IOException("session " + name + ": expected " + key + "=" + has.getOrDefault(key, "")
                + ", with which it runs, found " + key + "=" + wants.getOrDefault(key, "")
                + ". Do give the same, or another session's name.");
    }

    private static Map<String, String> parsed(String lines) {
        return lines.lines()
                .map(line -> line.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
    }
}
