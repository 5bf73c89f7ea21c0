// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What this process may use of the machine: the smaller of what the kernel's mask, its control groups and the machine allow.
 *
 * @param allowedCpus processors of the affinity mask
 * @param cpuQuota processors' worth of time that the control groups give, infinite where they set no limit
 * @param memoryBytes memory of the machine, or the smallest limit of the control groups
 * @param availableMemoryBytes memory that can be taken without swapping or hitting a limit
 * @param memoryStallPercent share of the last ten seconds in which some process of the machine waited for memory; 0 where the kernel does not tell
 */
public record ProcessLimits(CpuSet allowedCpus, double cpuQuota, long memoryBytes, long availableMemoryBytes, double memoryStallPercent) {
  public static ProcessLimits read() {
    return read(Path.of("/"));
  }

  static ProcessLimits read(Path root) {
    ControlGroup group = ControlGroup.read(root);
    String mask = field(root.resolve("proc/self/status"), "Cpus_allowed_list:");
    CpuSet cpus = mask == null ? CpuSet.parse("0-" + (Runtime.getRuntime().availableProcessors() - 1)) : CpuSet.parse(mask);
    long total = kilobytes(field(root.resolve("proc/meminfo"), "MemTotal:"));
    long available = kilobytes(field(root.resolve("proc/meminfo"), "MemAvailable:"));
    String stall = field(root.resolve("proc/pressure/memory"), "some avg10=");
    return new ProcessLimits(cpus, group.cpuQuota(), Math.min(total, group.memoryBytes()), Math.min(available, group.memoryLeftBytes()),
        stall == null ? 0 : Double.parseDouble(stall.split(" ")[0]));
  }

  /** The mask of the calling thread, as the kernel has it. */
  public static CpuSet ofThisThread() {
    return CpuSet.parse(field(Path.of("/proc/thread-self/status"), "Cpus_allowed_list:"));
  }

  /** Threads that can run at once, at least 1. */
  public int usableCpus() {
    return (int) Math.max(1, Math.min(allowedCpus.size(), Math.floor(cpuQuota + 0.5)));
  }

  private static long kilobytes(String text) {
    return text == null ? Long.MAX_VALUE : Long.parseLong(text.split("\\s+")[0]) << 10;
  }

  private static String field(Path file, String name) {
    try {
      return Files.readAllLines(file).stream().filter(line -> line.startsWith(name)).map(line -> line.substring(name.length()).strip()).findFirst().orElse(null);
    } catch (IOException none) {
      return null;
    }
  }
}
