// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.CounterGroup;
import org.apache.hadoop.mapreduce.Counters;

/** Who runs a job: Hadoop itself in this process, or Spark. */
enum Engine {
    LOCAL,
    SPARKGAP;

    private static final Pattern OF_ENGINE =
            Pattern.compile("MILLIS|MEMORY|HEAP|MATERIALIZED|SHUFFLE|SPILLED|MERGED|PHYSICAL|VIRTUAL");

    /** A new configuration for jobs whose staging area is below a folder. */
    Configuration conf(Path folder) {
        Configuration conf = new Configuration();
        conf.set("mapreduce.framework.name", this == LOCAL ? "local" : SparkGapProvider.NAME);
        conf.set("yarn.app.mapreduce.am.staging-dir", folder.resolve("staging").toString());
        conf.set(
                "mapreduce.jobtracker.staging.root.dir",
                folder.resolve("staging").toString());
        conf.set("hadoop.tmp.dir", folder.resolve("tmp").toString());
        conf.set("spark.master", "local[2]");
        // Tasks of tests have few records; they go to disk time and again all the same.
        conf.setInt("spark.shuffle.spill.numElementsForceSpillThreshold", 500);
        conf.setInt("mapreduce.job.maps", 2);
        conf.setInt("mapreduce.client.completion.pollinterval", 50);
        conf.setInt("mapreduce.client.progressmonitor.pollinterval", 50);
        return conf;
    }

    Path folder(Path folder) {
        return folder.resolve(name());
    }

    /** The content of each file that a job wrote, by its name; no checksums. */
    static Map<String, String> files(Path output) {
        try (Stream<Path> all = Files.walk(output)) {
            Map<String, String> found = new TreeMap<>();
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                if (!file.getFileName().toString().endsWith(".crc")) {
                    found.put(
                            output.relativize(file).toString(),
                            Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1));
                }
            }
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Counters by group and name, but for those of time, memory, files and of who ran it. */
    static Map<String, Long> counters(Counters counters) {
        Map<String, Long> found = new TreeMap<>();
        for (CounterGroup each : counters) {
            for (Counter counter : each) {
                String name = counter.getName();
                String group = each.getName();
                boolean isEngine = group.endsWith("FileSystemCounter") || group.endsWith("JobCounter");
                if (!isEngine && !OF_ENGINE.matcher(name).find() && counter.getValue() != 0) {
                    found.put(group + " " + name, counter.getValue());
                }
            }
        }
        return found;
    }
}
