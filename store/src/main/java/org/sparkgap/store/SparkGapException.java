// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.store;

/**
 * A failure whose text reads "Where: expected X, found Y. Do Z." with the names that the user typed.
 *
 * <p>It is in the lowest module, so that all modules share one form of error. {@link #getMessage()} begins with a mark,
 * {@code [SPARKGAP {"code":3}]}, because Spark hands errors of tasks and of Connect servers on as text only: Python, or
 * the driver, reads the code from there.
 */
public class SparkGapException extends RuntimeException {
    public static final int ARGUMENTS = 2;
    public static final int DATA = 3;
    public static final int NO_ROOM = 4;
    public static final int LOST = 5;
    public static final int BUG = 70;

    private final int code;
    private final String text;

    public SparkGapException(int code, String text) {
        this(code, "", text, null);
    }

    public SparkGapException(int code, String text, Throwable cause) {
        this(code, "", text, cause);
    }

    public SparkGapException(int code, String where, String expected, String found, String action) {
        this(code, sentence(where, expected, found, action));
    }

    /** {@code marks} are further JSON members of the mark, each beginning with a comma, e.g. {@code ,"rank":1}. */
    protected SparkGapException(int code, String marks, String text, Throwable cause) {
        super("[SPARKGAP {\"code\":" + code + marks + "}] " + text, cause);
        this.code = code;
        this.text = text;
    }

    /** The exit status that stands for this kind of failure: 2 arguments, 3 data, 4 no room, 5 lost, 70 bug. */
    public int code() {
        return code;
    }

    /** The message without its mark. */
    public String text() {
        return text;
    }

    /**
     * On one line, without line breaks or double full stops from the parts: readers elsewhere take only the first line.
     */
    public static String sentence(String where, String expected, String found, String action) {
        return (where + ": expected " + expected + ", found " + found.strip().replaceFirst("(?<!\\.)\\.$", "") + ". "
                        + action + ".")
                .replaceAll("\\s*\\R\\s*", " ");
    }
}
