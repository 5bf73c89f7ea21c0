// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/**
 * Native parts that tests with real processes need. Where one is missing the test says so, and with CI=true it fails.
 */
final class Native {
    private Native() {}

    static Path guard() {
        return required(Path.of(System.getProperty("sparkgap.native", "")).resolve("sparkgap-rank"));
    }

    static Path kernel(String name) {
        return required(Path.of(System.getProperty("sparkgap.native", "")).resolve("sparkgap-" + name));
    }

    static Mpi mpi() {
        return Mpi.find(
                required(Path.of(System.getProperty("sparkgap.mpiexec", ""))).toString(), null);
    }

    private static Path required(Path program) {
        if (!Files.isExecutable(program)) {
            if ("true".equals(System.getenv("CI"))) {
                throw new AssertionError("this test needs " + program + ", and CI=true forbids leaving it out");
            }
            Assumptions.abort("not run: this test needs " + program);
        }
        return program;
    }
}
