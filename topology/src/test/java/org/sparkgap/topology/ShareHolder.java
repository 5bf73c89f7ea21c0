// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.nio.file.Path;
import java.util.List;

/** A process that claims and holds until it is killed: {@code ShareHolder FOLDER SYNTHETIC THREADS LEVEL}. */
final class ShareHolder {
    private ShareHolder() {}

    public static void main(String[] args) throws Exception {
        try (Topology topology = Topology.builder().synthetic(args[1]).load()) {
            CpuShare share = CpuShare.claim(
                    topology,
                    topology.cpuset(),
                    Path.of(args[0]),
                    Integer.parseInt(args[2]),
                    AffinityLevel.valueOf(args[3]));
            System.out.println(share.cpuset().toList());
            Thread.sleep(60_000);
        }
    }

    static Process start(Path folder, String synthetic, int threads, AffinityLevel level) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ProcessBuilder(List.of(
                        java,
                        "-Xmx64m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ShareHolder.class.getName(),
                        folder.toString(),
                        synthetic,
                        Integer.toString(threads),
                        level.name()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
