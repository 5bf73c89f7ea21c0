// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.sparkgap.spark.affinity.TaskThreads;
import org.sparkgap.topology.AffinityLevel;
import org.sparkgap.topology.Bitmap;
import org.sparkgap.topology.CpuShare;
import org.sparkgap.topology.ProcessLimits;
import org.sparkgap.topology.Topology;

/**
 * What binding costs a task, its begin and end together on one warm thread:
 * {@code java -cp "build/jars/sparkgap.jar:$JARS/*" bench/AffinityCost.java [TASKS]}.
 */
final class AffinityCost {
  private static final int ROUNDS = 7;

  public static void main(String[] args) throws Exception {
    int tasks = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
    Bitmap home = Bitmap.parseList(ProcessLimits.read().allowedCpus().toString());
    Topology topology = Topology.load();
    for (AffinityLevel level : AffinityLevel.values()) {
      if (level == AffinityLevel.NONE) {
        continue;
      }
      Path folder = Files.createTempDirectory("cpus");
      try (CpuShare share = CpuShare.claim(topology, home, folder, 1, level)) {
        TaskThreads threads = new TaskThreads(topology, share, home, level);
        double[] micros = IntStream.range(0, ROUNDS).mapToDouble(round -> micros(threads, tasks)).sorted().toArray();
        System.out.printf("%-5s median %.2f, %.2f to %.2f microseconds a task (%d rounds of %d, %d bound)%n",
            level, micros[ROUNDS / 2], micros[0], micros[ROUNDS - 1], ROUNDS, tasks, threads.pinned());
      }
      for (Path file : Files.list(folder).toList()) {
        Files.delete(file);
      }
      Files.delete(folder);
    }
    System.out.println("mask afterwards " + ProcessLimits.ofThisThread() + " of " + home.toList());
  }

  private static double micros(TaskThreads threads, int tasks) {
    long start = System.nanoTime();
    for (int i = 0; i < tasks; i++) {
      threads.begin();
      TaskThreads.lift();
    }
    return (System.nanoTime() - start) / 1e3 / tasks;
  }
}
