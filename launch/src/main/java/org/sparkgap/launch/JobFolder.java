// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.sparkgap.store.SparkGapException;

/** The files of a job, as docs/program-contract.md names them. */
final class JobFolder {
  static final int TAIL_LINES = 20;
  private static final int TAIL_BYTES = 64 << 10;
  private static final String LAUNCHER_LOG = "launcher.log";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final FileAttribute<?> AS_PRIVATE = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path path;

  JobFolder(Path path) {
    this.path = path;
  }

  /** Errors: code 4 where the folder cannot be made. */
  static JobFolder create(Job job) {
    try {
      Files.createDirectory(job.directory(), AS_PRIVATE);
      Files.createDirectory(CommandLine.temporary(job), AS_PRIVATE);
      Files.writeString(job.directory().resolve(JobFile.NAME), JobFile.text(job));
      return new JobFolder(job.directory());
    } catch (IOException e) {
      throw new SparkGapException(SparkGapException.NO_ROOM,
          SparkGapException.sentence("launch " + job.directory(), "a folder for the job", String.valueOf(e.getMessage()), "Do free some space or choose another spark.sparkgap.store.dir"), e);
    }
  }

  Path path() {
    return path;
  }

  Path launcherLog() {
    return path.resolve(LAUNCHER_LOG);
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

  /** The file as JSON, or null where it is not there or not whole. */
  static JsonNode json(Path file) {
    try {
      JsonNode node = JSON.readTree(Files.readAllBytes(file));
      return node.isObject() ? node : null;
    } catch (IOException none) {
      return null;
    }
  }

  /** The last lines of a rank's log, or of the launcher's where that rank has none. */
  List<String> logTail(int rank) {
    List<String> lines = tail(path.resolve("rank-" + rank + ".log"));
    return lines.isEmpty() ? tail(launcherLog()) : lines;
  }

  List<String> launcherTail() {
    return tail(launcherLog());
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
      long from = Math.max(0, in.length() - TAIL_BYTES);
      byte[] bytes = new byte[(int) (in.length() - from)];
      in.seek(from);
      in.readFully(bytes);
      List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().filter(line -> !line.isBlank()).toList();
      return lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
    } catch (IOException none) {
      return List.of();
    }
  }
}
