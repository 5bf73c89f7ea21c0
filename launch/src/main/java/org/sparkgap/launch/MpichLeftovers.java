// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;

/**
 * The shared memory files that killed ranks leave in /dev/shm; MPICH gives them random names there.
 *
 * <p>A file is taken for ours to remove only when it belongs to our user, was made while the job ran, and no process has it
 * open or mapped any more: then nobody can reach it.
 */
public final class MpichLeftovers {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final String PATTERN = "{mpich_shm_,ucx_shm_posix_}*";

  private MpichLeftovers() {}

  /** Removes what ranks have left whose agent died with its executor; for the next executor of the host. */
  public static void sweep() {
    sweep(FileTime.fromMillis(0));
  }

  /** How many were removed of those made since {@code since}. */
  static int sweep(FileTime since) {
    List<Path> ours = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(SHARED_MEMORY, PATTERN)) {
      Object me = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
      for (Path file : files) {
        boolean made = ((FileTime) Files.getAttribute(file, "unix:ctime", LinkOption.NOFOLLOW_LINKS)).compareTo(since) >= 0;
        if (made && Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(me)) {
          ours.add(file);
        }
      }
      if (!ours.isEmpty()) {
        ours.removeIf(inUse()::contains);
      }
      for (Path file : ours) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      // A file that vanishes meanwhile, or no /dev/shm: what is left is the next job's to look at.
      return 0;
    }
    return ours.size();
  }

  private static List<Path> inUse() throws IOException {
    List<Path> used = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
      for (Path process : processes) {
        List<String> maps = maps(process);
        if (!maps.isEmpty()) {  // else it is ending: what it holds open still goes by itself
          addOpen(process, used);
          addMapped(maps, used);
        }
      }
    }
    return used;
  }

  private static void addOpen(Path process, List<Path> used) {
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
      for (Path descriptor : descriptors) {
        Path target = Files.readSymbolicLink(descriptor);
        if (target.startsWith(SHARED_MEMORY)) {
          used.add(target);
        }
      }
    } catch (IOException notOurs) {
      // Another user's process, or one that has ended.
    }
  }

  private static void addMapped(List<String> maps, List<Path> used) {
    for (String line : maps) {
      int at = line.indexOf(SHARED_MEMORY + "/");
      if (at >= 0) {
        used.add(Path.of(line.substring(at)));
      }
    }
  }

  private static List<String> maps(Path process) {
    try {
      return Files.readAllLines(process.resolve("maps"), StandardCharsets.ISO_8859_1);
    } catch (IOException notOurs) {
      return List.of();
    }
  }
}
