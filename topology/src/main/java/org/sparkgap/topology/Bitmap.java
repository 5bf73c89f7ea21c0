// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.io.Serializable;
import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * A set of numbers from 0 on, of processors (a cpuset) or of NUMA nodes (a nodeset), that may hold all numbers from
 * some point on. hwloc's bitmaps as values: never changed, safe between threads, in no native memory.
 *
 * <pre>{@code
 * Bitmap cpus = Bitmap.range(0, 7).without(3).or(Bitmap.of(64, 65));
 * cpus.toList();     // "0-2,4-7,64-65"
 * cpus.toTaskset();  // "0x300000000000000f7"
 * cpus.not();        // 3,8-63,66- : all others, without end
 * for (int cpu = cpus.first(); cpu >= 0; cpu = cpus.next(cpu)) { ... }
 * }</pre>
 *
 * <p>Numbers are 0 to {@link #LIMIT} - 1; beyond, IllegalArgumentException.
 */
public final class Bitmap implements Serializable, Comparable<Bitmap> {
    private static final long serialVersionUID = 1;

    /** One more than the largest number that can be named: 16 times what Linux can be built for. */
    public static final int LIMIT = 1 << 20;

    public static final Bitmap EMPTY = new Bitmap(new long[0], false);
    public static final Bitmap FULL = new Bitmap(new long[0], true);

    private final long[] words;
    private final boolean endless;

    /** Takes the array. Words that say what follows them anyway are cut off, so that equal sets are equal arrays. */
    private Bitmap(long[] words, boolean endless) {
        long fill = endless ? -1 : 0;
        int length = words.length;
        while (length > 0 && words[length - 1] == fill) {
            length--;
        }
        this.words = length == words.length ? words : Arrays.copyOf(words, length);
        this.endless = endless;
    }

    public static Bitmap of(int... numbers) {
        long[] words =
                new long[(Arrays.stream(numbers).map(Bitmap::checked).max().orElse(-1) + 64) / 64];
        for (int number : numbers) {
            words[number >> 6] |= 1L << number;
        }
        return new Bitmap(words, false);
    }

    /** From {@code first} to {@code last}, both in it; nothing where {@code last} is smaller. */
    public static Bitmap range(int first, int last) {
        checked(first);
        return last < first ? EMPTY : from(first).and(from(checked(last) + 1).not());
    }

    /** {@code first} and all above, without end. */
    public static Bitmap from(int first) {
        if (first < 0 || first > LIMIT) {
            checked(first);
        }
        long[] words = new long[first / 64 + 1];
        words[first / 64] = -1L << first;
        return new Bitmap(words, true);
    }

    /** 64 numbers a word, the smallest first; beyond the last word all are in where {@code endless}. */
    public static Bitmap ofWords(boolean endless, long... words) {
        if (words.length > LIMIT / 64) {
            checked(words.length * 64);
        }
        return new Bitmap(words.clone(), endless);
    }

    public static Bitmap of(BitSet set) {
        checked(Math.max(0, set.length() - 1));
        return new Bitmap(set.toLongArray(), false);
    }

    /**
     * hwloc's form: words of 32 bits from the largest down, e.g. {@code 0x00000001,,0xffffffff} or
     * {@code 0xf...f,0xfffffff0}.
     */
    public static Bitmap parse(String text) {
        return BitmapText.parse(text);
    }

    /** Ranges: {@code 0-3,8,10-}. */
    public static Bitmap parseList(String text) {
        return BitmapText.parseList(text);
    }

    /** One hexadecimal number, as taskset prints masks: {@code 0xff}, {@code ff}, {@code 0xf...f0}. */
    public static Bitmap parseTaskset(String text) {
        return BitmapText.parseTaskset(text);
    }

    public Bitmap with(int number) {
        return or(of(number));
    }

    public Bitmap without(int number) {
        return andNot(of(number));
    }

    public Bitmap and(Bitmap other) {
        long[] result = new long[Math.max(words.length, other.words.length)];
        Arrays.setAll(result, i -> word(i) & other.word(i));
        return new Bitmap(result, endless && other.endless);
    }

    public Bitmap or(Bitmap other) {
        long[] result = new long[Math.max(words.length, other.words.length)];
        Arrays.setAll(result, i -> word(i) | other.word(i));
        return new Bitmap(result, endless || other.endless);
    }

    public Bitmap xor(Bitmap other) {
        long[] result = new long[Math.max(words.length, other.words.length)];
        Arrays.setAll(result, i -> word(i) ^ other.word(i));
        return new Bitmap(result, endless != other.endless);
    }

    public Bitmap andNot(Bitmap other) {
        return and(other.not());
    }

    public Bitmap not() {
        long[] result = new long[words.length];
        Arrays.setAll(result, i -> ~words[i]);
        return new Bitmap(result, !endless);
    }

    /** The smallest number alone, so that a thread bound to it does not migrate; empty where this is. */
    public Bitmap singlify() {
        return isEmpty() ? EMPTY : of(first());
    }

    public boolean has(int number) {
        return number >= 0 && (word(number >> 6) >>> number & 1) != 0;
    }

    public boolean isEmpty() {
        return words.length == 0 && !endless;
    }

    public boolean isFull() {
        return words.length == 0 && endless;
    }

    /** Whether all numbers from some point on are in. */
    public boolean isEndless() {
        return endless;
    }

    public boolean intersects(Bitmap other) {
        return !and(other).isEmpty();
    }

    public boolean isIncludedIn(Bitmap other) {
        return andNot(other).isEmpty();
    }

    /** How many numbers; -1 where endless. */
    public int weight() {
        return endless ? -1 : Arrays.stream(words).mapToInt(Long::bitCount).sum();
    }

    /** The smallest number; -1 where empty. */
    public int first() {
        return next(-1);
    }

    /** The smallest number above {@code previous}, which may be -1; -1 where there is none. */
    public int next(int previous) {
        int from = previous + 1;
        for (int i = from >> 6; i < words.length; i++) {
            long left = i == from >> 6 ? words[i] & -1L << from : words[i];
            if (left != 0) {
                return i * 64 + Long.numberOfTrailingZeros(left);
            }
        }
        return endless ? Math.max(from, words.length * 64) : -1;
    }

    /** The largest number; -1 where empty or endless. */
    public int last() {
        return endless || words.length == 0
                ? -1
                : words.length * 64 - 1 - Long.numberOfLeadingZeros(words[words.length - 1]);
    }

    public int firstUnset() {
        return not().first();
    }

    public int nextUnset(int previous) {
        return not().next(previous);
    }

    public int lastUnset() {
        return not().last();
    }

    /** Numbers 64 i to 64 i + 63 as one word, the smallest in the lowest bit. */
    public long word(int i) {
        return i < words.length ? words[i] : endless ? -1 : 0;
    }

    /** Words that say something of their own: those beyond are all 0, or all ones where endless. */
    public int wordCount() {
        return words.length;
    }

    /** The numbers, upwards. Errors: IllegalStateException where endless. */
    public IntStream stream() {
        if (endless) {
            throw new IllegalStateException("bitmap: expected a set that ends, found " + toList()
                    + ". Do and() it with the set of the machine first.");
        }
        return IntStream.iterate(first(), number -> number >= 0, this::next);
    }

    /**
     * hwloc_bitmap_compare_first: the set with the smaller first number is smaller; an empty one is larger than any
     * other.
     */
    public int compareFirst(Bitmap other) {
        return Integer.compareUnsigned(first(), other.first());
    }

    /** hwloc_bitmap_compare: as numbers, the largest differing bit decides. */
    @Override
    public int compareTo(Bitmap other) {
        if (endless != other.endless) {
            return endless ? 1 : -1;
        }
        for (int i = Math.max(words.length, other.words.length) - 1; i >= 0; i--) {
            if (word(i) != other.word(i)) {
                return Long.compareUnsigned(word(i), other.word(i));
            }
        }
        return 0;
    }

    public String toList() {
        return BitmapText.list(this);
    }

    public String toTaskset() {
        return BitmapText.taskset(this);
    }

    /** hwloc's form, which {@link #parse} reads. */
    @Override
    public String toString() {
        return BitmapText.hwloc(this);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bitmap set && endless == set.endless && Arrays.equals(words, set.words);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(words) * 31 + Boolean.hashCode(endless);
    }

    static int checked(int number) {
        if (number < 0 || number >= LIMIT) {
            throw new IllegalArgumentException("bitmap: expected numbers from 0 to " + (LIMIT - 1) + ", found " + number
                    + ". Do name a number in this range.");
        }
        return number;
    }
}
