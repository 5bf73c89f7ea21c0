// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * A folder with one empty file for each PU, whose fcntl lock says that a process has it; held until closed or until the
 * process ends.
 *
 * <p>fcntl locks belong to the process, and closing any descriptor of a file gives its lock up. So what this process
 * holds is known here, and never opened again.
 */
final class CpuLocks implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(2);
    private static final Set<Path> OWN = new HashSet<>();
    /**
     * Follows no links, and opens for reading too: a pipe that another user put there would block a writer until it has
     * a reader.
     */
    private static final Set<OpenOption> OPTIONS =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);

    private final Path folder;
    private final Map<Path, FileChannel> held = new TreeMap<>();

    CpuLocks(Path folder) {
        this.folder = folder.toAbsolutePath().normalize();
    }

    /** Takes the sets that {@code choice} makes of the free ones, while no other process claims. */
    List<Bitmap> take(Bitmap wanted, Function<Bitmap, List<Bitmap>> choice) throws IOException {
        synchronized (OWN) {
            makeFolder();
            Path turn = folder.resolve("claim.lock");
            lockInTurn(turn);
            try {
                Bitmap free =
                        Bitmap.of(wanted.stream().filter(pu -> lock(file(pu))).toArray());
                List<Bitmap> taken = List.of();
                try {
                    taken = choice.apply(free);
                } finally {
                    free.andNot(taken.stream().reduce(Bitmap.EMPTY, Bitmap::or)).stream()
                            .forEach(pu -> release(file(pu)));
                }
                return taken;
            } finally {
                release(turn);
            }
        }
    }

    @Override
    public void close() {
        synchronized (OWN) {
            Set.copyOf(held.keySet()).forEach(this::release);
        }
    }

    private Path file(int pu) {
        return folder.resolve("cpu-" + pu + ".lock");
    }

    private void lockInTurn(Path turn) throws IOException {
        long end = System.nanoTime() + DEADLINE.toNanos();
        while (!lock(turn)) {
            if (System.nanoTime() > end) {
                throw new IOException("processors: expected to lock " + turn + " within " + DEADLINE.toSeconds()
                        + " s, found it held or not ours to write. Do look who claims there.");
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /** False if another process has it, or if we may not write to it: then it is another user's. */
    private boolean lock(Path file) {
        if (!OWN.add(file)) {
            return false;
        }
        FileChannel channel = null;
        try {
            channel = open(file);
            if (channel.tryLock() != null) {
                held.put(file, channel);
                return true;
            }
        } catch (IOException | RuntimeException unusable) {
            // Treated as held by another.
        }
        closed(channel);
        OWN.remove(file);
        return false;
    }

    private void release(Path file) {
        FileChannel channel = held.remove(file);
        if (channel != null) {
            closed(channel);
            OWN.remove(file);
        }
    }

    private static void closed(FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException gone) {
            // The descriptor is closed, and the lock with it.
        }
    }

    /**
     * Without the wish to create where it exists: kernels refuse that for others' files in a folder for all. One that
     * has another name may be any file, and to close it would give up what this process has locked there.
     */
    private static FileChannel open(Path file) throws IOException {
        try {
            Map<String, Object> found =
                    Files.readAttributes(file, "unix:isRegularFile,nlink", LinkOption.NOFOLLOW_LINKS);
            if (!(Boolean) found.get("isRegularFile") || (Integer) found.get("nlink") != 1) {
                throw new IOException(file + " is no lock file");
            }
        } catch (NoSuchFileException none) {
            try {
                Files.createFile(file);
                setMode(file, 0666);
            } catch (FileAlreadyExistsException another) {
                // Another process was quicker.
            }
        }
        return FileChannel.open(file, OPTIONS);
    }

    /**
     * The folder's owner can remove the locks of others, and then two jobs would get one processor. So the owner must
     * be root or this user.
     */
    private void makeFolder() throws IOException {
        try {
            Files.createDirectories(folder.getParent());
            Files.createDirectory(folder);
            setMode(folder, 01777);
        } catch (FileAlreadyExistsException there) {
            // It is looked at like one that this process has made.
        }
        Map<String, Object> found = Files.readAttributes(folder, "unix:isDirectory,uid", LinkOption.NOFOLLOW_LINKS);
        Object me = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        String other = !(Boolean) found.get("isDirectory")
                ? "a link or a file"
                : found.get("uid").equals(0) || found.get("uid").equals(me) ? null : "one of user " + found.get("uid");
        if (other != null) {
            throw new IOException("processors: expected " + folder + " to be a folder of root or of user " + me
                    + ", found " + other + ". Do let root make it, by rm -r " + folder + " and install -d -m 1777 "
                    + folder + ", or name another folder.");
        }
        if (!Files.isWritable(folder)) {
            throw new AccessDeniedException(folder.toString());
        }
    }

    /** By a descriptor, and not through a link: the name may be another user's file by now. */
    private static void setMode(Path path, int mode) throws IOException {
        Files.setAttribute(path, "unix:mode", mode, LinkOption.NOFOLLOW_LINKS);
    }
}
