// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.regex.Pattern;

/** Removes homes: dead ones, and the process's own. The caller holds the {@link StoreLock}. */
final class StoreSweep {
    private static final Pattern HOME = Pattern.compile("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+(\\.[0-9]+)?");

    private StoreSweep() {}

    /**
     * Returns the number of removed homes. A folder stays if it has not the name of a home, if it has no lock file, or
     * if that lock is held.
     */
    static int deadHomes(Path store) throws IOException {
        int removed = 0;
        try (DirectoryStream<Path> children = Files.newDirectoryStream(store)) {
            for (Path child : children) {
                if (isHome(child) && !HeldHomes.contains(child) && removeIfDead(child)) {
                    removed++;
                }
            }
        }
        return removed;
    }

    /** Deletes the tree, the lock file last, so that an interrupted sweep can be repeated. Links are not followed. */
    static void remove(Path home) throws IOException {
        Path lock = home.resolve(StoreHome.LOCK);
        removeBelow(home, lock);
        Files.deleteIfExists(lock);
        Files.deleteIfExists(home);
    }

    /** Deletes the tree. Links are not followed. */
    static void removeTree(Path folder) throws IOException {
        removeBelow(folder, null);
        Files.deleteIfExists(folder);
    }

    private static void removeBelow(Path top, Path kept) throws IOException {
        Files.walkFileTree(top, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (!file.equals(kept)) {
                    Files.deleteIfExists(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException e) throws IOException {
                if (e != null) {
                    throw e;
                }
                if (!directory.equals(top)) {
                    Files.deleteIfExists(directory);
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static boolean isHome(Path child) {
        return HOME.matcher(child.getFileName().toString()).matches()
                && Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS)
                && Files.isRegularFile(child.resolve(StoreHome.LOCK), LinkOption.NOFOLLOW_LINKS);
    }

    private static boolean removeIfDead(Path home) {
        try (FileChannel channel =
                FileChannel.open(home.resolve(StoreHome.LOCK), StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                return false;
            }
            remove(home);
            return true;
        } catch (IOException e) {
            // Removed meanwhile, or not ours to open: no reason to refuse a new home.
            return false;
        }
    }
}
