// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.util.ArrayList;
import java.util.List;

/** Processor numbers as the kernel lists them, e.g. "0-3,8,10-11". */
public record CpuSet(List<Integer> cpus) {
    private static final int MAX_CPU = 1 << 20;

    public CpuSet {
        cpus = List.copyOf(cpus);
    }

    /** Errors: IllegalArgumentException where the text is no such list. */
    public static CpuSet parse(String text) {
        List<Integer> cpus = new ArrayList<>();
        for (String range : text.strip().split(",")) {
            if (range.isBlank()) {
                continue;
            }
            String[] ends = range.strip().split("-", 2);
            int first = Integer.parseInt(ends[0]);
            int last = Integer.parseInt(ends[ends.length - 1]);
            if (first < 0 || last < first || last > MAX_CPU) {
                throw new IllegalArgumentException(
                        "cpu list: expected ranges such as 0-3,8, found " + text + ". Do write it as Linux does.");
            }
            for (int cpu = first; cpu <= last; cpu++) {
                cpus.add(cpu);
            }
        }
        return new CpuSet(cpus);
    }

    public int size() {
        return cpus.size();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < cpus.size(); ) {
            int end = i;
            while (end + 1 < cpus.size() && cpus.get(end + 1) == cpus.get(end) + 1) {
                end++;
            }
            text.append(i == 0 ? "" : ",").append(cpus.get(i)).append(end == i ? "" : "-" + cpus.get(end));
            i = end + 1;
        }
        return text.toString();
    }
}
