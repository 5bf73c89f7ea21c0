// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;

/**
 * The shared memory files that killed ranks leave in /dev/shm; MPICH gives them random names there.
 *
 * <p>A file is taken for ours to remove only when it belongs to our user, was made while the job ran, and nobody has it open or mapped any more, in whichever
 * container or PID namespace. Ranks keep theirs mapped as long as they live, so such a file is nobody's.
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
    int removed = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(SHARED_MEMORY, PATTERN)) {
      Object me = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
      for (Path file : files) {
        if (isOurs(file, since, me) && removeIfNobodys(file)) {
          removed++;
        }
      }
    } catch (IOException e) {
      // No /dev/shm, or one that cannot be read: what is left is the next job's to look at.
    }
    return removed;
  }

  private static boolean isOurs(Path file, FileTime since, Object me) {
    try {
      boolean made = ((FileTime) Files.getAttribute(file, "unix:ctime", LinkOption.NOFOLLOW_LINKS)).compareTo(since) >= 0;
      return made && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(me);
    } catch (IOException gone) {
      return false;
    }
  }

  /** Whoever would open it now waits until it has no name any more. */
  private static boolean removeIfNobodys(Path file) throws IOException {
    try (FileLease lease = FileLease.take(file)) {
      return lease != null && Files.deleteIfExists(file);
    }
  }
}
