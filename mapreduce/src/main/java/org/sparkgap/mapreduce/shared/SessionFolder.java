// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shared;

import java.io.File;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.SocketChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a session is found: a folder of this host that only its user may enter, with the socket on which it listens,
 * the settings that it was started with, and its log. Who starts or ends a session, or comes to it, holds the lock.
 */
final class SessionFolder {
    private static final String PRIVATE = "rwx------";
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,40}");
    private static final long LOCK_MINUTES = 6;
    private static final long SAID_AFTER_S = 2;
    private static final Logger LOG = LoggerFactory.getLogger("sparkgap");

    private final String name;
    private final Path place;

    private SessionFolder(String name, Path place) {
        this.name = name;
        this.place = place;
    }

    /** The folder of a name, made where there is none. */
    static SessionFolder of(String name) throws IOException {
        if (!NAME.matcher(name).matches()) {
            throw new IOException(SharedJobs.SESSION + ": expected up to 40 letters, digits, _ and -, found \"" + name
                    + "\". Do give the session such a name.");
        }
        Path all = Path.of(System.getProperty("java.io.tmpdir"), "sparkgap-mapreduce-" + user().getName());
        return new SessionFolder(name, owned(owned(all).resolve(name)));
    }

    /** The folder of a session, as its server is told it. */
    static SessionFolder at(Path place) throws IOException {
        return new SessionFolder(place.getFileName().toString(), owned(place));
    }

    /** Made, or there already and nobody else's. */
    private static Path owned(Path place) throws IOException {
        try {
            Files.createDirectory(
                    place, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(PRIVATE)));
        } catch (FileAlreadyExistsException e) {
            PosixFileAttributes found =
                    Files.readAttributes(place, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            String permissions = PosixFilePermissions.toString(found.permissions());
            if (!found.isDirectory() || !found.owner().equals(user()) || !permissions.equals(PRIVATE)) {
                throw new IOException(place + ": expected a folder of this user's alone (" + PRIVATE + "), found "
                        + permissions + " of " + found.owner().getName() + ". Do remove it.");
            }
        }
        return place;
    }

    /** Whose process this is. */
    static UserPrincipal user() throws IOException {
        return Files.getOwner(Path.of("/proc/self"));
    }

    String name() {
        return name;
    }

    Path log() {
        return place.resolve("log");
    }

    private Path socket() {
        return place.resolve("socket");
    }

    UnixDomainSocketAddress address() {
        return UnixDomainSocketAddress.of(socket());
    }

    Path path() {
        return place;
    }

    String read(String file) throws IOException {
        return Files.readString(place.resolve(file));
    }

    void write(String file, String text) throws IOException {
        Files.writeString(place.resolve(file), text);
    }

    /** What a session that has ended leaves is its log. */
    void clear() throws IOException {
        clear(name -> false);
    }

    /** Removes all but the log, and what is kept by its name. */
    void clear(Predicate<String> isKept) throws IOException {
        for (File file : place.toFile().listFiles()) {
            String name = file.getName();
            if (!file.toPath().equals(log()) && !name.equals("lock") && !isKept.test(name)) {
                Files.deleteIfExists(file.toPath());
            }
        }
    }

    /** A connection to the session, or null where none listens. */
    SocketChannel connect() throws IOException {
        if (!Files.exists(socket())) {
            return null;
        }
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(address());
            return channel;
        } catch (IOException e) { // it was killed
            channel.close();
            return null;
        }
    }

    /** An open lock. */
    interface Held extends AutoCloseable {
        @Override
        void close() throws IOException;
    }

    /** Waits for the lock, at most as long as a start may take. */
    Held lock() throws IOException {
        long begun = System.nanoTime();
        boolean isSaid = false;
        Held held = tryLock();
        while (held == null) {
            long waited = System.nanoTime() - begun;
            if (!isSaid && waited > TimeUnit.SECONDS.toNanos(SAID_AFTER_S)) {
                isSaid = true;
                LOG.info("session {}: waits for another program, which starts it", name);
            }
            if (waited > TimeUnit.MINUTES.toNanos(LOCK_MINUTES)) {
                throw new IOException("session " + name + ": expected its lock within " + LOCK_MINUTES
                        + " minutes, found that another program holds it. Do end that, or give another name.");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            held = tryLock();
        }
        return held;
    }

    /** The lock, or null where another has it. */
    Held tryLock() throws IOException {
        FileChannel channel =
                FileChannel.open(place.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = null;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) { // another thread
        } finally {
            if (lock == null) {
                channel.close();
            }
        }
        return lock == null ? null : channel::close;
    }
}
