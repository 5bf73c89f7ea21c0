// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** What a rank left in a folder, as the fuzz target of JSON files reads it: refused as RankReport says, or whole. */
public final class ReportReading implements Consumer<Path> {
    @Override
    public void accept(Path folder) {
        try {
            RankReport report = RankReport.read(new JobFolder(folder), 0, "here");
            if (report.segments().stream().anyMatch(s -> s.path() == null || s.rows() < 0)) {
                throw new AssertionError("a segment that cannot be: " + report);
            }
        } catch (IOException | IllegalArgumentException refused) {
            // As it should.
        }
    }
}
