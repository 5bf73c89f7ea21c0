// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Moves a segment to another folder without any effect on its readers.
 *
 * <p>The copy is complete before anything refers to it; then a link to it replaces the file in one step. A reader that
 * opens the old path finds the copy; one that has mapped the old file goes on reading it, in any language.
 */
final class SegmentMove {
    private SegmentMove() {}

    /** Its new path. Errors: code 4 if the folder has no room; then the segment stays where it was. */
    static Path to(Path folder, Path segment) {
        Path moved = folder.resolve(segment.getFileName());
        Path part = folder.resolve(segment.getFileName() + ".part");
        Path link = segment.resolveSibling(segment.getFileName() + ".part");
        try {
            // A copy that cannot fit is not started: it would fill the disk for a moment.
            if (Files.getFileStore(folder).getUsableSpace() < Files.size(segment)) {
                throw new IOException("No space left on device");
            }
            try (FileChannel from = FileChannel.open(segment, StandardOpenOption.READ);
                    FileChannel to = FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                long bytes = from.size();
                for (long at = 0; at < bytes; ) {
                    at += from.transferTo(at, bytes - at, to);
                }
            }
            Files.setLastModifiedTime(part, Files.getLastModifiedTime(segment)); // which may be its seal
            Files.move(part, moved, StandardCopyOption.ATOMIC_MOVE);
            Files.createSymbolicLink(link, moved);
            Files.move(link, segment, StandardCopyOption.ATOMIC_MOVE);
            return moved;
        } catch (IOException e) {
            try {
                Files.deleteIfExists(part);
                Files.deleteIfExists(link);
                if (!Files.isSymbolicLink(segment)) {
                    Files.deleteIfExists(moved);
                }
            } catch (IOException again) {
                e.addSuppressed(again);
            }
            throw StoreErrors.cannotWrite(folder, e);
        }
    }
}
