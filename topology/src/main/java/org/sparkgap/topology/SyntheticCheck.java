// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Refuses descriptions that hwloc would not survive: of more objects than memory has room for, as in "core:100000
 * pu:100000". It takes time with the square of their number: a minute for the most that are let through.
 */
final class SyntheticCheck {
    private static final int MOST = 1 << 14;
    private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9:=,*. ()\\[\\]_-]*");
    private static final Pattern ASIDE = Pattern.compile("\\([^)]*\\)|\\[[^]]*]");
    /**
     * As in pu:2(indexes=core:package): hwloc asserts that what it found for the types, which may be nothing, makes
     * sense.
     */
    private static final Pattern INDEXES_BY_TYPE = Pattern.compile("indexes=[^)]*[A-Za-z]");
    /** A level of memory-side caches, however it is shortened. */
    private static final Pattern MEMORY_LEVEL = Pattern.compile("(?i)(^|\\s|])(mem|ms)");

    private static final Pattern COUNT = Pattern.compile("(?:^|[\\s:])(0[xX][0-9a-fA-F]+|\\d+)");

    private SyntheticCheck() {}

    static void check(String description) {
        if (!ALLOWED.matcher(description).matches()) {
            throw refused("letters, digits and :=,*.()[]_-", description);
        }
        if (INDEXES_BY_TYPE.matcher(description).find()) {
            throw refused("indexes as numbers, such as 0,2,1,3 or 2*2:1*2", description);
        }
        String levels = ASIDE.matcher(description).replaceAll(" ");
        if (MEMORY_LEVEL.matcher(levels).find()) {
            throw refused("levels of processors, caches, groups and NUMA nodes", description);
        }
        long objects = 1;
        Matcher counts = COUNT.matcher(levels);
        while (counts.find()) {
            objects *= count(counts.group(1), description);
            if (objects > MOST) {
                throw refused("at most " + MOST + " objects in a level", description);
            }
        }
    }

    /** As strtoul reads it: 0x is hexadecimal, a leading 0 octal. */
    private static long count(String digits, String description) {
        try {
            return Long.decode(digits);
        } catch (NumberFormatException tooLarge) {
            throw refused("numbers", description);
        }
    }

    private static HwlocException refused(String expected, String found) {
        return HwlocException.refused(
                "synthetic description", expected, "\"" + found + "\"", "write levels such as pack:2 core:4 pu:2");
    }
}
