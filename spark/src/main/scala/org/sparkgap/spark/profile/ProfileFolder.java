// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.profile;

import java.net.URI;
import java.nio.file.Path;
import org.apache.spark.SparkConf;

/** Where {@code sparkgap profile} keeps everything: it tells Spark where the event log goes, which is inside. */
final class ProfileFolder {
    private ProfileFolder() {}

    static Path of(SparkConf conf) {
        String log = conf.get("spark.eventLog.dir", "");
        return log.startsWith("file:/") ? Path.of(URI.create(log)).getParent() : Path.of("/nonexistent");
    }
}
