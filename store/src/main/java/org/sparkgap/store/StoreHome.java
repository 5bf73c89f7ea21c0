// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The folder of one process in a store, held by a kernel lock as long as the process lives (FORMAT.md, Directories).
 *
 * <p>Errors: code 4 if the store cannot be made, belongs to another user, is open to others or has no room.
 */
public final class StoreHome implements AutoCloseable {
    static final String LOCK = "lock";
    private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rwx------");
    private static final FileAttribute<?> AS_PRIVATE = PosixFilePermissions.asFileAttribute(PRIVATE);
    private static final int MAX_NAMESAKES = 1000;
    private static final Pattern FOLDER = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}");

    private final Path store;
    private final Path path;
    private final FileChannel channel;
    private final Set<String> reserved = new HashSet<>();
    private boolean closed;

    private StoreHome(Path store, Path path, FileChannel channel) {
        this.store = store;
        this.path = path;
        this.channel = channel;
    }

    /**
     * Sweeps the store, then makes the home {@code <application>.<executor>} in it; if a living home has that name, a
     * number is appended.
     */
    public static StoreHome create(Path storeDirectory, String application, String executor) {
        Path store = prepare(storeDirectory);
        try (StoreLock held = StoreLock.take(store)) {
            StoreSweep.deadHomes(store);
            String name = fileName(application) + "." + fileName(executor);
            for (int i = 0; i < MAX_NAMESAKES; i++) {
                Path path = store.resolve(i == 0 ? name : name + "." + i);
                try {
                    Files.createDirectory(path, AS_PRIVATE);
                } catch (FileAlreadyExistsException e) {
                    continue;
                }
                return furnish(store, path);
            }
            throw StoreErrors.unusable(store, "a free name for a home", MAX_NAMESAKES + " homes named " + name, null);
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(store, e);
        }
    }

    /** Removes the homes of dead processes, and returns their number. Does nothing if the store does not exist. */
    public static int sweep(Path storeDirectory) {
        if (!Files.exists(storeDirectory, LinkOption.NOFOLLOW_LINKS)) {
            return 0;
        }
        Path store = prepare(storeDirectory);
        try (StoreLock held = StoreLock.take(store)) {
            return StoreSweep.deadHomes(store);
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(store, e);
        }
    }

    public Path store() {
        return store;
    }

    public Path path() {
        return path;
    }

    public Path tables() {
        return path.resolve("tables");
    }

    public Path jobs() {
        return path.resolve("jobs");
    }

    /** Names of tables in the making, and the lock for all names of this home. */
    Set<String> reserved() {
        return reserved;
    }

    /**
     * A folder for segments of this process, created if missing. Errors: code 2 for a name that is no plain file name.
     */
    public Path segments(String folder) {
        if (!FOLDER.matcher(folder).matches()) {
            throw new SparkGapException(
                    SparkGapException.ARGUMENTS,
                    "folder of segments",
                    "letters, digits, _, - and dots, at most 200 of them",
                    "'" + folder + "'",
                    "Do choose another name");
        }
        Path directory = path.resolve("segments").resolve(folder);
        try {
            return Files.createDirectories(directory, AS_PRIVATE);
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(directory, e);
        }
    }

    /** Bytes that can still be written. */
    public long usableBytes() {
        try {
            return Files.getFileStore(path).getUsableSpace();
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(path, e);
        }
    }

    /** Removes the home and frees its lock. Does nothing the second time. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try (StoreLock held = StoreLock.take(store)) {
            StoreSweep.remove(path);
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(store, e);
        } finally {
            release();
        }
    }

    /** Creates the folder and missing folders above it, closed to all other users. */
    static void makePrivate(Path folder) throws IOException {
        Files.createDirectories(folder, AS_PRIVATE);
    }

    private void release() {
        try {
            channel.close();
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(store, e);
        } finally {
            HeldHomes.remove(path);
        }
    }

    private static StoreHome furnish(Path store, Path path) throws IOException {
        try {
            FileChannel channel = FileChannel.open(
                    path.resolve(LOCK),
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            FileLock lock = channel.tryLock();
            if (lock == null) {
                channel.close();
                throw new IOException("the lock of the new home " + path + " is taken");
            }
            HeldHomes.add(path);
            for (String part : new String[] {"segments", "tables", "jobs"}) {
                Files.createDirectory(path.resolve(part), AS_PRIVATE);
            }
            return new StoreHome(store, path, channel);
        } catch (IOException e) {
            StoreSweep.remove(path);
            HeldHomes.remove(path);
            throw e;
        }
    }

    /** Creates the store if missing, and returns its real path. */
    static Path prepare(Path directory) {
        Path store = directory.toAbsolutePath().normalize();
        try {
            if (!Files.exists(store, LinkOption.NOFOLLOW_LINKS)) {
                if (store.getParent() != null) {
                    Files.createDirectories(store.getParent());
                }
                Files.createDirectory(store, AS_PRIVATE);
            }
        } catch (FileAlreadyExistsException e) {
            // Another process was faster, or a file is in the way: the check below says which.
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(store, e);
        }
        check(store);
        try {
            // The real path identifies a JVM's own homes, by whatever path the store was given.
            return store.toRealPath();
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(store, e);
        }
    }

    /** Another user may have made a store in a folder that all may write to, such as /dev/shm. */
    private static void check(Path store) {
        try {
            if (!Files.isDirectory(store)) {
                throw StoreErrors.unusable(
                        store,
                        "a folder",
                        Files.isSymbolicLink(store) && !Files.exists(store) ? "a link to nothing" : "something else",
                        null);
            }
            int me = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            int owner = (int) Files.getAttribute(store, "unix:uid");
            int linkOwner = (int) Files.getAttribute(store, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            if (owner != me || linkOwner != me && linkOwner != 0) {
                throw StoreErrors.unusable(
                        store, "a folder of user " + me, "one of user " + (owner != me ? owner : linkOwner), null);
            }
            Set<PosixFilePermission> mode = Files.getPosixFilePermissions(store);
            if (!mode.equals(PRIVATE)) {
                throw new SparkGapException(
                        SparkGapException.NO_ROOM,
                        "spark.sparkgap.store.dir " + store,
                        "mode rwx------",
                        "mode " + PosixFilePermissions.toString(mode),
                        "Do chmod 700 " + store + " or choose another folder");
            }
        } catch (IOException e) {
            throw StoreErrors.cannotWrite(store, e);
        }
    }

    private static String fileName(String id) {
        String name = id.replaceAll("[^A-Za-z0-9_-]", "_");
        return name.isEmpty() ? "_" : name;
    }
}
