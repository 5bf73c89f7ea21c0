// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** What only root can set up for a test. Where we are not root the test says so, and with CI=true it fails. */
final class Root {
    private Root() {}

    static void required() throws IOException {
        if ((int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") != 0) {
            if ("true".equals(System.getenv("CI"))) {
                throw new AssertionError("this test needs root, and CI=true forbids leaving it out");
            }
            Assumptions.abort("not run: this test needs root");
        }
    }

    /** A mounted tmpfs of a given size. */
    record SmallDevice(Path path) implements AutoCloseable {
        SmallDevice(Path path, String size) throws Exception {
            this(path);
            required();
            Files.createDirectory(path);
            run("mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", path.toString());
        }

        @Override
        public void close() throws IOException {
            try {
                run("umount", "-l", path.toString());
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        private static void run(String... command) throws IOException, InterruptedException {
            int status = new ProcessBuilder(command).inheritIO().start().waitFor();
            if (status != 0) {
                throw new IOException(String.join(" ", command) + " ended with " + status);
            }
        }
    }
}
