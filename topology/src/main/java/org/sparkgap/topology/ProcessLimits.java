// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;

/**
 * What this process may use of the machine: the smallest of the kernel's mask, its control groups' limits and the
 * machine.
 *
 * @param allowedCpus processors of the affinity mask
 * @param cpuQuota processors' worth of time that the control groups give, infinite where they set no limit
 * @param memoryBytes memory of the machine, or the smallest limit of the control groups
 * @param availableMemoryBytes memory that can be taken without swapping or hitting a limit
 * @param memoryStallPercent share of the last ten seconds in which some process of the machine waited for memory; 0
 *     where the kernel does not tell
 */
public record ProcessLimits(
        CpuSet allowedCpus, double cpuQuota, long memoryBytes, long availableMemoryBytes, double memoryStallPercent) {
    public static ProcessLimits read() {
        return read(Path.of("/"));
    }

    static ProcessLimits read(Path root) {
        ControlGroup group = ControlGroup.read(root);
        String mask = field(root.resolve("proc/self/status"), "Cpus_allowed_list:");
        CpuSet cpus = mask == null
                ? CpuSet.parse("0-" + (Runtime.getRuntime().availableProcessors() - 1))
                : CpuSet.parse(mask);
        long total = kilobytes(field(root.resolve("proc/meminfo"), "MemTotal:"));
        long available = kilobytes(field(root.resolve("proc/meminfo"), "MemAvailable:"));
        String stall = field(root.resolve("proc/pressure/memory"), "some avg10=");
        return new ProcessLimits(
                cpus,
                group.cpuQuota(),
                Math.min(total, group.memoryBytes()),
                Math.min(available, group.memoryLeftBytes()),
                stall == null ? 0 : Double.parseDouble(stall.split(" ")[0]));
    }

    /** The mask of the calling thread, as the kernel has it. */
    public static CpuSet ofThisThread() {
        return CpuSet.parse(field(Path.of("/proc/thread-self/status"), "Cpus_allowed_list:"));
    }

    /** The memory that a process has in pages now, shared ones too; 0 where it has ended. */
    public static long residentBytes(long pid) {
        String resident = field(Path.of("/proc", Long.toString(pid), "status"), "VmRSS:");
        return resident == null ? 0 : kilobytes(resident);
    }

    /** NUMA nodes that have some of these processors, at least 1. */
    public static int numaNodes(CpuSet cpus) {
        return numaNodes(Path.of("/"), cpus);
    }

    static int numaNodes(Path root, CpuSet cpus) {
        int found = 0;
        try (DirectoryStream<Path> nodes =
                Files.newDirectoryStream(root.resolve("sys/devices/system/node"), "node[0-9]*")) {
            for (Path node : nodes) {
                String list = Files.readString(node.resolve("cpulist")).strip();
                // Some have memory alone.
                if (!list.isEmpty() && !Collections.disjoint(CpuSet.parse(list).cpus(), cpus.cpus())) {
                    found++;
                }
            }
        } catch (IOException none) {
            return 1;
        }
        return Math.max(1, found);
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
            return Files.readAllLines(file).stream()
                    .filter(line -> line.startsWith(name))
                    .map(line -> line.substring(name.length()).strip())
                    .findFirst()
                    .orElse(null);
        } catch (IOException none) {
            return null;
        }
    }
}
