// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce.shared;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Java's archive of the classes that clients of {@code sparkgap mapreduce} load. The first ones write into the
 * session's folder which they are, each into a file that has its process's number; the archive is made of the longest,
 * once, while nobody is there.
 */
final class ClientClasses {
    private static final String LIST = "classes.";
    /** The client's Java, and its class path. */
    private static final String CLIENT = "client";

    private static final String ARCHIVE = "client.jsa";
    private static final long MOST_MINUTES = 10;
    /** Runs a command when no other wants the processor; Linux knows that of a process, and of a group of them. */
    private static final List<String> BEHIND_ALL =
            List.of("setsid", "sh", "-c", "echo 19 2> /dev/null > /proc/self/autogroup; exec nice -n 19 \"$@\"", "sh");

    private static final Logger LOG = LoggerFactory.getLogger("sparkgap");

    /** Names of files that clients write. */
    static final Predicate<String> OF_CLIENTS = name -> name.startsWith(LIST) || name.equals(CLIENT);

    private final SessionFolder folder;
    private boolean isTaken;
    private boolean isEnded;
    private Process process;

    ClientClasses(SessionFolder folder) {
        this.folder = folder;
    }

    /** True once: when clients have written down their classes, and all of them have ended. */
    synchronized boolean isAskedFor() {
        if (isTaken) {
            return false;
        }
        List<Path> lists = lists();
        isTaken = !lists.isEmpty() && lists.stream().noneMatch(ClientClasses::isOpen);
        return isTaken;
    }

    private List<Path> lists() {
        File[] found = folder.path().toFile().listFiles((place, name) -> name.startsWith(LIST));
        return found == null
                ? List.of()
                : Arrays.stream(found).map(File::toPath).toList();
    }

    private static boolean isOpen(Path list) {
        String number = list.getFileName().toString().substring(LIST.length());
        return !number.matches("\\d{1,18}")
                || ProcessHandle.of(Long.parseLong(number)).isPresent();
    }

    /** Makes it. All is well without, so a failure is a line in the log. */
    void make() {
        Path archive = folder.path().resolve(ARCHIVE);
        Path made = archive.resolveSibling(ARCHIVE + ".new");
        List<Path> lists = lists();
        long begun = System.nanoTime();
        try {
            Path longest = lists.stream()
                    .max(Comparator.comparingLong(list -> list.toFile().length()))
                    .orElseThrow();
            List<String> client = Files.readAllLines(folder.path().resolve(CLIENT));
            Process started = start(client.get(0), client.get(1), longest, made);
            if (!started.waitFor(MOST_MINUTES, TimeUnit.MINUTES) || started.exitValue() != 0) {
                throw new IOException("java -Xshare:dump failed");
            }
            Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE);
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun);
            LOG.info("session {}: made the archive of its clients' classes in {} s", folder.name(), seconds);
        } catch (IOException | RuntimeException e) {
            LOG.info("session {}: no archive of its clients' classes", folder.name(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            stop();
            lists.forEach(list -> list.toFile().delete());
        }
    }

    private synchronized Process start(String java, String path, Path list, Path made) throws IOException {
        if (isEnded) {
            throw new IOException("the session has ended");
        }
        List<String> words = new ArrayList<>(BEHIND_ALL);
        words.addAll(List.of(java, "-Xshare:dump", "-XX:+UseSerialGC", "-Xlog:disable"));
        words.addAll(List.of("-XX:SharedClassListFile=" + list, "-XX:SharedArchiveFile=" + made, "-cp", path));
        process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectInput(new File("/dev/null"))
                .redirectOutput(new File("/dev/null"))
                .start();
        return process;
    }

    private synchronized void stop() {
        if (process != null) {
            process.destroyForcibly();
        }
    }

    /** With the session: no process of this is there any more, none comes, and the archive is gone. */
    synchronized void end() {
        isEnded = true;
        stop();
        for (String file : List.of(ARCHIVE, ARCHIVE + ".new")) {
            folder.path().resolve(file).toFile().delete();
        }
    }
}
