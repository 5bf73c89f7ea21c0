// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

/**
 * Sets as text in the three forms of hwloc, each read as hwloc prints it. Text that hwloc would read in part only is
 * refused.
 */
final class BitmapText {
    private static final String ENDLESS = "0xf...f";
    private static final long LOW = 0xffffffffL;

    private BitmapText() {}

    static Bitmap parse(String text) {
        boolean endless = text.startsWith(ENDLESS);
        if (text.equals(ENDLESS)) {
            return Bitmap.FULL;
        }
        if (endless && text.charAt(ENDLESS.length()) != ',') {
            throw refused(text, "words of 32 bits such as 0x0000000f,0xffffffff");
        }
        String[] parts = (endless ? text.substring(ENDLESS.length() + 1) : text).split(",", -1);
        long[] words = new long[words(parts.length, 32, text)];
        if (endless && parts.length % 2 != 0) {
            words[words.length - 1] = ~LOW;
        }
        for (int i = 0; i < parts.length; i++) {
            String part = parts[parts.length - 1 - i];
            if (!part.isEmpty()) {
                words[i / 2] |= hexadecimal(digits(part), 8, text) << 32 * (i % 2);
            } else if (i == 0) {
                throw refused(text, "a last word that is not empty");
            }
        }
        return Bitmap.ofWords(endless, words);
    }

    static Bitmap parseList(String text) {
        Bitmap set = Bitmap.EMPTY;
        for (String range : text.strip().split("[, ]+")) {
            if (range.isEmpty()) {
                continue;
            }
            int dash = range.indexOf('-');
            int first = number(dash < 0 ? range : range.substring(0, dash), text);
            if (dash == range.length() - 1 && dash > 0) {
                set = set.or(Bitmap.from(first));
            } else {
                int last = dash < 0 ? first : number(range.substring(dash + 1), text);
                if (last < first) {
                    throw refused(text, "ranges that go upwards");
                }
                set = set.or(Bitmap.range(first, last));
            }
        }
        return set;
    }

    static Bitmap parseTaskset(String text) {
        boolean endless = text.startsWith(ENDLESS);
        String digits = endless ? text.substring(ENDLESS.length()) : digits(text);
        long[] words = new long[words(digits.length(), 4, text)];
        for (int i = 0, end = digits.length(); end > 0; i++, end -= 16) {
            int begin = Math.max(0, end - 16);
            words[i] = hexadecimal(digits.substring(begin, end), 16, text);
            if (endless && end - begin < 16) {
                words[i] |= -1L << 4 * (end - begin);
            }
        }
        return Bitmap.ofWords(endless, words);
    }

    /**
     * Words of 32 bits from the largest down; those of zeros in between are left empty. Later versions of hwloc leave
     * out the upper half of the first word of an endless set where it is all ones, which earlier ones misread; so it
     * stays, and all read it.
     */
    static String hwloc(Bitmap set) {
        StringBuilder text = new StringBuilder(set.isEndless() ? ENDLESS : "");
        int halves = 2 * set.wordCount();
        for (int i = halves - 1; i >= 0; i--) {
            long half = set.word(i / 2) >>> 32 * (i % 2) & LOW;
            String comma = text.isEmpty() ? "" : ",";
            text.append(half != 0 ? comma + String.format("0x%08x", half) : i == 0 ? comma + "0x0" : comma);
        }
        return text.isEmpty() ? "0x0" : text.toString();
    }

    static String list(Bitmap set) {
        StringBuilder text = new StringBuilder();
        for (int begin = set.first(); begin >= 0; ) {
            int end = set.nextUnset(begin);
            text.append(text.isEmpty() ? "" : ",").append(begin);
            if (end < 0) {
                return text.append('-').toString();
            }
            text.append(end == begin + 1 ? "" : "-" + (end - 1));
            begin = set.next(end);
        }
        return text.toString();
    }

    static String taskset(Bitmap set) {
        StringBuilder text = new StringBuilder(set.isEndless() ? ENDLESS : "");
        for (int i = set.wordCount() - 1; i >= 0; i--) {
            long word = set.word(i);
            text.append(String.format(text.isEmpty() ? "0x%x" : "%016x", word));
        }
        return text.isEmpty() ? "0x0" : text.toString();
    }

    private static String digits(String text) {
        return text.startsWith("0x") ? text.substring(2) : text;
    }

    private static long hexadecimal(String digits, int most, String text) {
        if (digits.length() > most || !digits.matches("[0-9a-fA-F]*")) {
            throw refused(text, "at most " + most + " hexadecimal digits in a word");
        }
        return digits.isEmpty() ? 0 : Long.parseUnsignedLong(digits, 16);
    }

    private static int number(String digits, String text) {
        try {
            return Bitmap.checked(Integer.decode(digits));
        } catch (NumberFormatException none) {
            throw refused(text, "ranges such as 0-3,8,10-");
        }
    }

    private static int words(int parts, int bits, String text) {
        if ((long) parts * bits > Bitmap.LIMIT) {
            throw refused(text.substring(0, 40) + "...", "at most " + Bitmap.LIMIT + " bits");
        }
        return (parts * bits + 63) / 64;
    }

    private static IllegalArgumentException refused(String text, String expected) {
        return new IllegalArgumentException(
                "bitmap: expected " + expected + ", found \"" + text + "\". Do write the set as hwloc prints it.");
    }
}
