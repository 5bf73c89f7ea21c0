// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.sparkgap.store.SparkGapException;

/** The files of a job, as docs/program-contract.md names them. */
final class JobFolder {
    static final int TAIL_LINES = 20;
    private static final long FULL_BYTES = 1 << 20;
    private static final int TAIL_BYTES = 64 << 10;
    /** Most bytes of users' logs that another host sends: of one log, and of all its logs. */
    private static final int LOG_BYTES = 1 << 20;

    private static final int LOGS_BYTES = 32 << 20;
    /** No progress line is longer. */
    private static final int LINE_BYTES = 4096;

    private static final Pattern LEFT =
            Pattern.compile("(exit|error|done)-[0-9]{1,9}\\.json|rank-[0-9]{1,9}\\.log|launcher\\.log|full");
    private static final String LAUNCHER_LOG = "launcher.log";
    /** File that names the full device of another host. */
    private static final String FULL = "full";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final FileAttribute<?> AS_PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final Path path;

    JobFolder(Path path) {
        this.path = path;
    }

    /** Errors: code 4 where the folder cannot be made. */
    static JobFolder create(Path directory) {
        JobFolder made = null;
        try {
            Files.createDirectory(directory, AS_PRIVATE);
            made = new JobFolder(directory);
            Files.createDirectory(CommandLine.temporary(directory), AS_PRIVATE);
            return made;
        } catch (IOException e) {
            if (made != null) {
                made.remove();
            }
            throw new SparkGapException(
                    SparkGapException.NO_ROOM,
                    SparkGapException.sentence(
                            "launch " + directory,
                            "a folder for the job",
                            String.valueOf(e.getMessage()),
                            "Do free some space or choose another spark.sparkgap.store.dir"),
                    e);
        }
    }

    /** Writes job.json. Errors: code 4 if it cannot be written. */
    void putJob(String json) {
        put(JobFile.NAME, json);
    }

    /**
     * Writes what the guards of ranks [first, first + count) add to the program's command line and environment. Errors:
     * code 4 if it cannot be written.
     */
    void putInvocation(Invocation invocation, int first, int count) {
        put("arguments-", first, count, rank -> invocation.arguments().apply(rank).stream()
                .map(word -> word + '\0')
                .collect(Collectors.joining()));
        put(
                "environment",
                invocation.environment().entrySet().stream()
                        .map(set -> set.getKey() + '=' + set.getValue() + '\0')
                        .collect(Collectors.joining()));
    }

    /**
     * Writes the processors that the guards pin ranks [first, first + count) to. Errors: code 4 if they cannot be
     * written.
     */
    void putCpus(RankCpus cpus, int first, int count) {
        if (cpus.bind()) {
            put("cpus-", first, count, rank -> cpus.ompPlaces(rank - first));
        }
    }

    private void put(String name, int first, int count, IntFunction<String> text) {
        for (int rank = first; rank < first + count; rank++) {
            put(name + rank, text.apply(rank));
        }
    }

    private void put(String name, String text) {
        try {
            Files.writeString(path.resolve(name), text);
        } catch (IOException e) {
            throw new SparkGapException(
                    SparkGapException.NO_ROOM,
                    SparkGapException.sentence(
                            "launch " + path,
                            "room for the files of a job",
                            String.valueOf(e.getMessage()),
                            "Do free some space or choose another spark.sparkgap.store.dir"),
                    e);
        }
    }

    Path path() {
        return path;
    }

    Path launcherLog() {
        return path.resolve(LAUNCHER_LOG);
    }

    Path rankLog(int rank) {
        return path.resolve("rank-" + rank + ".log");
    }

    Path exitFile(int rank) {
        return path.resolve("exit-" + rank + ".json");
    }

    Path errorFile(int rank) {
        return path.resolve("error-" + rank + ".json");
    }

    Path doneFile(int rank) {
        return path.resolve("done-" + rank + ".json");
    }

    /** The file as JSON, or null if it is missing or incomplete. */
    static JsonNode json(Path file) {
        if (!Files.exists(file)) {
            return null; // the caller looks again
        }
        try {
            JsonNode node = JSON.readTree(Files.readAllBytes(file));
            return node.isObject() ? node : null;
        } catch (IOException none) {
            return null;
        }
    }

    /** The last lines of a rank's log, or of the launcher's if the rank has none. */
    List<String> logTail(int rank) {
        List<String> lines = tail(rankLog(rank));
        return lines.isEmpty() ? tail(launcherLog()) : lines;
    }

    List<String> launcherTail() {
        return tail(launcherLog());
    }

    /** The last whole line of rank 0's progress, or null. */
    String lastProgress() {
        return lastLine(path.resolve(JobFile.PROGRESS));
    }

    /** The last whole line of a file of JSON lines, or null. */
    static String lastLine(Path file) {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            String text = new String(end(in, LINE_BYTES), StandardCharsets.UTF_8);
            int stop = text.lastIndexOf('\n');
            return stop < 0 ? null : text.substring(text.lastIndexOf('\n', stop - 1) + 1, stop);
        } catch (IOException none) {
            return null;
        }
    }

    /**
     * The files that ranks and launcher left, for the host that decides about the job: complete records, and the ends
     * of logs.
     *
     * @param host this one's name
     * @param ranks whose logs the user may want to read; 0 if the last lines are enough
     * @param wasFull whether the device was full at some time, so that records may be missing
     */
    List<HostReport.LeftFile> left(String host, int ranks, boolean wasFull) {
        List<HostReport.LeftFile> found = new ArrayList<>();
        int logBytes = ranks == 0 ? TAIL_BYTES : Math.max(TAIL_BYTES, Math.min(LOG_BYTES, LOGS_BYTES / ranks));
        if (wasFull) {
            found.add(new HostReport.LeftFile(
                    FULL, (path.getParent() + " on host " + host).getBytes(StandardCharsets.UTF_8), now()));
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(
                path, file -> LEFT.matcher(file.getFileName().toString()).matches())) {
            for (Path file : files) {
                try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
                    byte[] content = end(in, file.toString().endsWith(".log") ? logBytes : Integer.MAX_VALUE);
                    found.add(new HostReport.LeftFile(
                            file.getFileName().toString(),
                            content,
                            Files.getLastModifiedTime(file).to(TimeUnit.NANOSECONDS)));
                }
            }
        } catch (IOException e) {
            // The deciding host reports a missing file.
        }
        return found;
    }

    /**
     * Writes the files that another host's ranks left; files of other names are ignored. The proxy's output is appended
     * to the launcher's log.
     *
     * @param ahead nanoseconds by which this host's clock is ahead of the other's
     */
    void put(HostReport.LeftFile file, long ahead) throws IOException {
        if (!LEFT.matcher(file.name()).matches()) {
            return;
        }
        Path target = path.resolve(file.name());
        if (file.name().equals(LAUNCHER_LOG)) {
            Files.write(target, file.content(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } else {
            Files.write(target, file.content());
            Files.setLastModifiedTime(target, FileTime.from(file.changed() + ahead, TimeUnit.NANOSECONDS));
        }
    }

    /** Whether a rank has written its done file; a user's program may write none. */
    boolean anyDone(int ranks) {
        return IntStream.range(0, ranks).anyMatch(rank -> Files.exists(doneFile(rank)));
    }

    /** The folder whose device is nearly full, with its host if that is another; null if there is none. */
    String full() {
        Path elsewhere = path.resolve(FULL);
        try {
            return Files.exists(elsewhere)
                    ? Files.readString(elsewhere)
                    : isFull() ? path.getParent().toString() : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Whether its device is nearly full. */
    boolean isFull() {
        try {
            return Files.getFileStore(path).getUsableSpace() < FULL_BYTES;
        } catch (IOException gone) {
            return false;
        }
    }

    /** Copies the ranks' logs into another folder, as far as there is room. */
    void moveLogs(Path to) {
        try (DirectoryStream<Path> logs = Files.newDirectoryStream(path, "rank-*.log")) {
            for (Path log : logs) {
                Files.move(log, to.resolve(log.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            // A log that cannot be kept must not change the job's result.
        }
    }

    /** Removes the folder. Files that a dying rank adds meanwhile go with the home's sweep. */
    void remove() {
        try {
            delete();
        } catch (IOException e) {
            // The home's removal takes it too.
        }
    }

    void delete() throws IOException {
        Files.walkFileTree(path, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException e) throws IOException {
                Files.deleteIfExists(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static List<String> tail(Path file) {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            List<String> lines = new String(end(in, TAIL_BYTES), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith(ManualLaunch.MARK))
                    .toList();
            return lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
        } catch (IOException none) {
            return List.of();
        }
    }

    static long now() {
        return FileTime.from(Instant.now()).to(TimeUnit.NANOSECONDS);
    }

    static byte[] end(RandomAccessFile in, int most) throws IOException {
        long from = Math.max(0, in.length() - most);
        byte[] bytes = new byte[(int) (in.length() - from)];
        in.seek(from);
        in.readFully(bytes);
        return bytes;
    }
}
