// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.util.Map;

/**
 * A call of hwloc that failed, or that would have taken the process down and was not made. The message reads "Where:
 * expected X, found Y. Do Z.".
 *
 * <pre>{@code
 * try {
 *   topology.cpuBinding().bindThread(cpus);
 * } catch (HwlocException refused) {
 *   if (refused.errnoName().equals("EINVAL")) { ... }   // none of these processors is in our control group
 * }
 * }</pre>
 */
public final class HwlocException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(0, "none"),
            Map.entry(1, "EPERM"),
            Map.entry(2, "ENOENT"),
            Map.entry(3, "ESRCH"),
            Map.entry(7, "E2BIG"),
            Map.entry(9, "EBADF"),
            Map.entry(11, "EAGAIN"),
            Map.entry(12, "ENOMEM"),
            Map.entry(13, "EACCES"),
            Map.entry(14, "EFAULT"),
            Map.entry(16, "EBUSY"),
            Map.entry(17, "EEXIST"),
            Map.entry(18, "EXDEV"),
            Map.entry(20, "ENOTDIR"),
            Map.entry(21, "EISDIR"),
            Map.entry(22, "EINVAL"),
            Map.entry(28, "ENOSPC"),
            Map.entry(34, "ERANGE"),
            Map.entry(38, "ENOSYS"),
            Map.entry(95, "EOPNOTSUPP"));
    private static final Map<String, String> MEANINGS = Map.of(
            "EPERM",
            "this process may not",
            "ENOENT",
            "there is none",
            "ESRCH",
            "there is no such process",
            "EACCES",
            "this process may not",
            "EXDEV",
            "it cannot be done for exactly this set",
            "EINVAL",
            "an argument that it does not take",
            "ENOSYS",
            "this system or version of hwloc cannot",
            "ENOMEM",
            "no memory was left",
            "EBUSY",
            "it is in use");

    private final int errno;

    private HwlocException(String message, int errno, Throwable cause) {
        super(message, cause);
        this.errno = errno;
    }

    /** What C left in errno; 0 where the call was not made. */
    public int errno() {
        return errno;
    }

    /** Such as EINVAL; "none" where the call was not made. */
    public String errnoName() {
        return name(errno);
    }

    /** To be thrown: {@code call} failed with what errno says now. */
    static HwlocException failed(String call, String advice) {
        int errno = Calls.errno();
        String meaning = MEANINGS.get(name(errno));
        return new HwlocException(
                "hwloc: expected " + call + " to work, found " + name(errno) + (meaning == null ? "" : ", " + meaning)
                        + ". Do " + advice + ".",
                errno,
                null);
    }

    static HwlocException refused(String where, String expected, String found, String advice) {
        return new HwlocException(
                where + ": expected " + expected + ", found " + found + ". Do " + advice + ".", 0, null);
    }

    static HwlocException missing(String found, String advice, Throwable cause) {
        return new HwlocException(
                "hwloc: expected the library libhwloc, found " + found + ". Do " + advice + ".", 0, cause);
    }

    private static String name(int errno) {
        return NAMES.getOrDefault(errno, "errno " + errno);
    }
}
