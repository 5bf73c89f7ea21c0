// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A process whose thread reads a segment after its task has ended, the table was dropped and the housekeeping came by;
 * prints the sum of the values.
 */
final class LateReader {
    private LateReader() {}

    public static void main(String[] args) throws Exception {
        MappedSegments mapped = new MappedSegments();
        Path file = Path.of(args[0]);
        MappedSegments.Lease lease = mapped.open(file);
        lease.close();
        mapped.forget(file);
        Files.delete(file);
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(20);
            mapped.unmapForgotten(0);
        }
        Thread late = new Thread(() -> {
            ByteBuffer values = ByteBuffer.allocateDirect(8000).order(ByteOrder.LITTLE_ENDIAN);
            NativeMemory.copy(lease.segment().values(0, 0), values, 0, 8000);
            long sum = 0;
            for (int i = 0; i < 1000; i++) {
                sum += values.getLong(i * 8);
            }
            System.out.println(sum);
        });
        late.start();
        late.join();
    }
}
