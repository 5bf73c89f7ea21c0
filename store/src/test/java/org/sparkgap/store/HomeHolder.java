// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.nio.file.Files;
import java.nio.file.Path;

/** A process that holds a home with a file in it until it is killed: {@code HomeHolder STORE APPLICATION}. */
final class HomeHolder {
    private HomeHolder() {}

    public static void main(String[] args) throws Exception {
        StoreHome home = StoreHome.create(Path.of(args[0]), args[1], "driver");
        Files.writeString(home.segments("edges").resolve("part-0-0.arrow"), "bytes");
        System.out.println(home.path());
        Thread.sleep(60_000);
    }

    /** Starts one and waits until it holds its home. */
    static Process start(Path store, String application) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process = new ProcessBuilder(
                        java,
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        HomeHolder.class.getName(),
                        store.toString(),
                        application)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        if (process.inputReader().readLine() == null) {
            throw new IllegalStateException("the child ended with " + process.waitFor());
        }
        return process;
    }
}
