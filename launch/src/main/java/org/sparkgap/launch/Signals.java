// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.launch;

import java.util.Map;
import java.util.Set;

/** Signals by number, as Linux on x86-64 and AArch64 counts them. */
final class Signals {
    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(1, "SIGHUP"),
            Map.entry(2, "SIGINT"),
            Map.entry(3, "SIGQUIT"),
            Map.entry(4, "SIGILL"),
            Map.entry(5, "SIGTRAP"),
            Map.entry(6, "SIGABRT"),
            Map.entry(7, "SIGBUS"),
            Map.entry(8, "SIGFPE"),
            Map.entry(9, "SIGKILL"),
            Map.entry(11, "SIGSEGV"),
            Map.entry(13, "SIGPIPE"),
            Map.entry(14, "SIGALRM"),
            Map.entry(15, "SIGTERM"),
            Map.entry(24, "SIGXCPU"),
            Map.entry(25, "SIGXFSZ"),
            Map.entry(31, "SIGSYS"));
    static final int ABRT = 6;
    static final int KILL = 9;
    static final int TERM = 15;
    /** What Process.exitValue says of a process that was killed. */
    static final int STATUS_OF_KILLED = 128 + KILL;

    private static final int PIPE = 13;
    /** What mpiexec, a guard or we ourselves send to the other ranks once one has failed. */
    private static final Set<Integer> OF_CLEAN_UP = Set.of(KILL, PIPE, TERM);

    private Signals() {}

    /** "9 (SIGKILL)". */
    static String text(int signal) {
        String name = NAMES.get(signal);
        return name == null ? Integer.toString(signal) : signal + " (" + name + ")";
    }

    static boolean mayBeCleanUp(int signal) {
        return OF_CLEAN_UP.contains(signal);
    }
}
