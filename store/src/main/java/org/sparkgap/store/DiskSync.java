// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Makes written data survive a loss of power. On tmpfs, where nothing does, the call returns at once. */
final class DiskSync {
    private DiskSync() {}

    /** The bytes of a file, or the names in a folder. */
    static void sync(Path what) throws IOException {
        try (FileChannel channel = FileChannel.open(what, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
