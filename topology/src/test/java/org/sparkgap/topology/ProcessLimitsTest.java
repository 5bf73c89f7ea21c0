// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Machines are files below a folder: recorded or invented, never required. */
class ProcessLimitsTest {
    @TempDir
    Path machine;

    @Test
    void aMachineWithoutLimits() throws Exception {
        file("proc/self/status", "Name:\tjava\nCpus_allowed_list:\t0-3,8,10-11\n");
        file("proc/meminfo", "MemTotal:       1000 kB\nMemAvailable:    800 kB\n");
        ProcessLimits limits = ProcessLimits.read(machine);
        assertEquals(List.of(0, 1, 2, 3, 8, 10, 11), limits.allowedCpus().cpus());
        assertEquals("0-3,8,10-11", limits.allowedCpus().toString());
        assertEquals(7, limits.usableCpus());
        assertEquals(800 << 10, limits.availableMemoryBytes());
    }

    @Test
    void theTightestGroupOfVersion2Counts() throws Exception {
        file("proc/self/status", "Cpus_allowed_list:\t0-63\n");
        file("proc/meminfo", "MemAvailable: 99999999 kB\n");
        file("proc/self/cgroup", "0::/pod/box\n");
        file("sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
        file("sys/fs/cgroup/pod/cpu.max", "250000 100000\n");
        file("sys/fs/cgroup/pod/memory.max", "1000000\n");
        file("sys/fs/cgroup/pod/memory.current", "900000\n");
        file(
                "sys/fs/cgroup/pod/memory.stat",
                "anon 300000\nfile 600000\nshmem 100000\ninactive_file 400000\nactive_file 100000\n");
        file("sys/fs/cgroup/pod/box/cpu.max", "max 100000\n");
        file("sys/fs/cgroup/pod/box/memory.max", "max\n");
        file("sys/fs/cgroup/pod/box/memory.current", "300000\n");
        ProcessLimits limits = ProcessLimits.read(machine);
        assertEquals(2.5, limits.cpuQuota());
        assertEquals(3, limits.usableCpus());
        assertEquals(600_000, limits.availableMemoryBytes(), "the page cache can be had back, memory files cannot");
        assertEquals(1_000_000, limits.memoryBytes());
        assertEquals(0, limits.memoryStallPercent(), "the kernel does not tell");
    }

    @Test
    void version1AndAPathThatAContainerDoesNotShow() throws Exception {
        file("proc/self/status", "Cpus_allowed_list:\t0-7\n");
        file("proc/meminfo", "MemAvailable: 99999999 kB\n");
        file("proc/self/cgroup", "4:cpu,cpuacct:/docker/abc\n5:memory:/docker/abc\n0::/x\n");
        file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "10000\n");
        file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
        file("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000000\n");
        file("sys/fs/cgroup/memory/memory.usage_in_bytes", "990000\n");
        file(
                "sys/fs/cgroup/memory/memory.stat",
                "active_file 1\ninactive_file 1\ntotal_active_file 20000\ntotal_inactive_file 30000\n");
        file(
                "proc/pressure/memory",
                "some avg10=12.50 avg60=0.00 avg300=0.00 total=6\nfull avg10=1.00 avg60=0.00 avg300=0.00 total=3\n");
        ProcessLimits limits = ProcessLimits.read(machine);
        assertEquals(0.1, limits.cpuQuota());
        assertEquals(1, limits.usableCpus(), "never less than one");
        assertEquals(60_000, limits.availableMemoryBytes());
        assertEquals(12.5, limits.memoryStallPercent());
    }

    @Test
    void nodesThatHaveProcessors() throws Exception {
        assertEquals(1, ProcessLimits.numaNodes(machine, CpuSet.parse("0-7")), "a system that does not tell");
        file("sys/devices/system/node/node0/cpulist", "0-3,8-11\n");
        file("sys/devices/system/node/node1/cpulist", "4-7,12-15\n");
        file("sys/devices/system/node/node2/cpulist", "\n");
        assertEquals(2, ProcessLimits.numaNodes(machine, CpuSet.parse("0-15")), "the third has memory alone");
        assertEquals(1, ProcessLimits.numaNodes(machine, CpuSet.parse("8-9")));
        assertEquals(2, ProcessLimits.numaNodes(machine, CpuSet.parse("3-4")));
        assertEquals(1, ProcessLimits.numaNodes(machine, CpuSet.parse("99")));
    }

    @Test
    void thisMachine() {
        ProcessLimits limits = ProcessLimits.read();
        assertTrue(limits.usableCpus() >= 1
                && limits.usableCpus() <= limits.allowedCpus().size());
        assertTrue(limits.availableMemoryBytes() > 0);
    }

    @Test
    void noCpuList() {
        assertThrows(IllegalArgumentException.class, () -> CpuSet.parse("3-1"));
        assertThrows(IllegalArgumentException.class, () -> CpuSet.parse("x"));
        assertEquals(0, CpuSet.parse("").size());
    }

    private void file(String path, String text) throws Exception {
        Path file = machine.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
