// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The limits of the control groups around this process, version 1 or 2.
 *
 * @param cpuQuota processors' worth of time, infinite where there is no limit
 * @param memoryBytes the smallest limit, Long.MAX_VALUE where there is none
 * @param memoryLeftBytes bytes until the limit, Long.MAX_VALUE where there is none. The groups' page cache of files on
 *     disk counts as left: the kernel reclaims it, and a group that reads and writes files is always full of it.
 */
record ControlGroup(double cpuQuota, long memoryBytes, long memoryLeftBytes) {
    /** From the files below {@code root}, which is / except in tests. */
    static ControlGroup read(Path root) {
        Path mount = root.resolve("sys/fs/cgroup");
        boolean unified = Files.exists(mount.resolve("cgroup.controllers"));
        double quota = Double.POSITIVE_INFINITY;
        long smallest = Long.MAX_VALUE;
        long left = Long.MAX_VALUE;
        Path cpuMount = unified ? mount : mount.resolve("cpu");
        for (Path group = cpuMount.resolve(ownPath(root, unified, "cpu"));
                group.startsWith(cpuMount);
                group = group.getParent()) {
            quota = Math.min(
                    quota,
                    unified
                            ? quota(text(group.resolve("cpu.max")))
                            : quota(text(group.resolve("cpu.cfs_quota_us")) + " "
                                    + text(group.resolve("cpu.cfs_period_us"))));
        }
        Path memoryMount = unified ? mount : mount.resolve("memory");
        for (Path group = memoryMount.resolve(ownPath(root, unified, "memory"));
                group.startsWith(memoryMount);
                group = group.getParent()) {
            long limit = number(text(group.resolve(unified ? "memory.max" : "memory.limit_in_bytes")));
            long used = number(text(group.resolve(unified ? "memory.current" : "memory.usage_in_bytes")));
            if (limit < Long.MAX_VALUE && used < Long.MAX_VALUE) {
                smallest = Math.min(smallest, limit);
                left = Math.min(
                        left, Math.max(0, limit - Math.max(0, used - fileBytes(text(group.resolve("memory.stat"))))));
            }
        }
        return new ControlGroup(quota, smallest, left);
    }

    /**
     * The group of this process relative to the controller's mount; in a container it may name a path that is not
     * visible.
     */
    private static String ownPath(Path root, boolean unified, String controller) {
        for (String line : text(root.resolve("proc/self/cgroup")).split("\n")) {
            String[] fields = line.split(":", 3);
            boolean mine = fields.length == 3
                    && (unified
                            ? fields[1].isEmpty()
                            : List.of(fields[1].split(",")).contains(controller));
            if (mine) {
                String path = fields[2].replaceFirst("^/+", "");
                return path.contains("..") ? "" : path;
            }
        }
        return "";
    }

    /**
     * Pages of files that stand on disk; files in memory (tmpfs) are not among them. Version 1 tells of a group alone
     * and, as total, with those below it.
     */
    private static long fileBytes(String statistics) {
        String prefix = statistics.contains("total_active_file ") ? "total_" : "";
        return statistics
                .lines()
                .filter(line -> line.startsWith(prefix + "active_file ") || line.startsWith(prefix + "inactive_file "))
                .mapToLong(line ->
                        Long.parseLong(line.substring(line.indexOf(' ') + 1).strip()))
                .sum();
    }

    private static double quota(String text) {
        String[] parts = text.strip().split("\\s+");
        if (parts.length != 2 || parts[0].equals("max") || parts[0].startsWith("-")) {
            return Double.POSITIVE_INFINITY;
        }
        return Double.parseDouble(parts[0]) / Double.parseDouble(parts[1]);
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text.strip());
        } catch (NumberFormatException none) {
            return Long.MAX_VALUE;
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException none) {
            return "";
        }
    }
}
