// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a publish and a drop ask of the kernel, and in which order, as strace sees it. */
class PublishSyncTest {
    private static final List<Column> COLUMNS = List.of(new Column("id", ColumnType.of(ColumnType.Kind.BIGINT), false));

    @TempDir
    Path scratch;

    /** The process that is watched: publishes a segment of the disk tier, and drops it. */
    static final class Publisher {
        private Publisher() {}

        public static void main(String[] args) {
            Path scratch = Path.of(args[0]);
            try (StoreHome home = StoreHome.create(scratch.resolve("store"), "app", "driver");
                    StoreHome onDisk = StoreHome.create(scratch.resolve("disk"), "app", "driver")) {
                PublishedTables published = new PublishedTables(home.store(), onDisk.store());
                try (SegmentWriter writer =
                        new SegmentWriter(onDisk.segments("mine"), "part", "node1", COLUMNS, 1 << 20)) {
                    writer.column(0).appendLong(7);
                    writer.advance(1);
                    published.publish(new Manifest("mine", COLUMNS, writer.finish(true)), "numbers", "app");
                }
                published.drop("numbers");
            }
        }
    }

    @Test
    void everythingIsOnTheDiskBeforeTheManifestSaysSo() throws Exception {
        Path trace = scratch.resolve("trace");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process = new ProcessBuilder(
                        "strace",
                        "-f",
                        "-y",
                        "-qq",
                        "-s",
                        "512",
                        "-o",
                        trace.toString(),
                        "-e",
                        "trace=fsync,fdatasync,link,linkat,rename,unlink,unlinkat,rmdir",
                        java,
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Publisher.class.getName(),
                        scratch.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
        List<String> calls = Files.readAllLines(trace);
        String disk = scratch.resolve("disk").toRealPath().toString();
        String folder = disk + "/published/numbers/1(-[0-9a-f]{16})?";
        // In this order; what stands between them does not matter.
        String[] wanted = {
            "link.*" + folder + "/rows-00000\\.arrow",
            "f(data)?sync\\(.*" + folder + "/rows-00000\\.arrow>",
            "fsync\\(.*" + folder + ">",
            "fsync\\(.*" + disk + "/published/numbers>",
            "fsync\\(.*" + disk + "/published>",
            "fsync\\(.*" + disk + "/published/numbers\\.json\\.part>",
            "rename\\(\".*numbers\\.json\\.part\", \"" + disk + "/published/numbers\\.json\"",
            "fsync\\(.*" + disk + "/published>",
            "unlink.*\"" + disk + "/published/numbers\\.json\"",
            "fsync\\(.*" + disk + "/published>",
            "unlink.*" + folder + "/rows-00000\\.arrow"
        };
        int at = 0;
        for (String call : wanted) {
            Pattern one = Pattern.compile(call);
            while (at < calls.size() && !one.matcher(calls.get(at)).find()) {
                at++;
            }
            assertTrue(
                    at < calls.size(), call + " is missing, or not in its place, among\n" + String.join("\n", calls));
            at++;
        }
    }
}
