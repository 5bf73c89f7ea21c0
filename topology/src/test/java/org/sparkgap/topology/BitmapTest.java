// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Function;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Random expressions, against java.util.BitSet on the numbers below a bound, and against libhwloc's own bitmaps. */
class BitmapTest {
    private static final int EXPRESSIONS = 2000;
    private static final int BOUND = 400;

    /** A set by BitSet: what it has below BOUND, and whether it has all above. Operations never look beyond. */
    private record Model(BitSet below, boolean rest) {
        Model with(Model other, char operator) {
            BitSet result = (BitSet) below.clone();
            switch (operator) {
                case '&' -> result.and(other.below);
                case '|' -> result.or(other.below);
                case '^' -> result.xor(other.below);
                default -> result.andNot(other.below);
            }
            boolean all =
                    switch (operator) {
                        case '&' -> rest && other.rest;
                        case '|' -> rest || other.rest;
                        case '^' -> rest != other.rest;
                        default -> rest && !other.rest;
                    };
            return new Model(result, all);
        }

        Model not() {
            BitSet result = (BitSet) below.clone();
            result.flip(0, BOUND);
            return new Model(result, !rest);
        }
    }

    private record Pair(Bitmap set, Model model) {}

    private final Random random = new Random(7);

    @Test
    void algebraIsThatOfBitSet() {
        for (int i = 0; i < EXPRESSIONS; i++) {
            Pair a = expression(4);
            Pair b = expression(3);
            assertSame(a);
            assertEquals(a.model.equals(b.model), a.set.equals(b.set));
            BitSet common = (BitSet) a.model.below.clone();
            common.and(b.model.below);
            assertEquals(!common.isEmpty() || a.model.rest && b.model.rest, a.set.intersects(b.set));
            assertEquals(common.equals(a.model.below) && (!a.model.rest || b.model.rest), a.set.isIncludedIn(b.set));
        }
    }

    @Test
    void textsAreReadBack() {
        for (int i = 0; i < EXPRESSIONS; i++) {
            Bitmap set = expression(4).set;
            assertEquals(set, Bitmap.parse(set.toString()), set.toString());
            assertEquals(set, Bitmap.parseList(set.toList()), set.toList());
            assertEquals(set, Bitmap.parseTaskset(set.toTaskset()), set.toTaskset());
            assertEquals(
                    set,
                    Bitmap.ofWords(
                            set.isEndless(),
                            IntStream.range(0, set.wordCount())
                                    .mapToLong(set::word)
                                    .toArray()));
            try (NativeSet copy = NativeSet.of(set)) {
                assertEquals(set, copy.read());
            }
        }
    }

    @Test
    void textsAndOrdersAreThoseOfHwloc() {
        for (int i = 0; i < EXPRESSIONS / 4; i++) {
            Bitmap set = expression(4).set;
            Bitmap other = random.nextInt(9) == 0 ? set : expression(2).set;
            try (NativeSet a = NativeSet.of(set);
                    NativeSet b = NativeSet.of(other)) {
                assertEquals(
                        Integer.signum(number("hwloc_bitmap_compare", a, b)),
                        Integer.signum(set.compareTo(other)),
                        set + " " + other);
                assertEquals(
                        Integer.signum(number("hwloc_bitmap_compare_first", a, b)),
                        Integer.signum(set.compareFirst(other)),
                        set + " " + other);
                // Versions differ in how they shorten endless sets.
                assertEquals(set, Bitmap.parse(printed("hwloc_bitmap_snprintf", a)));
                assertEquals(set, Bitmap.parseTaskset(printed("hwloc_bitmap_taskset_snprintf", a)));
                assertEquals(0, function("hwloc_bitmap_sscanf").invokeInt(new Object[] {
                    new Pointer(b.address), set.toString()
                }));
                assertEquals(set, b.read());
                assertEquals(0, function("hwloc_bitmap_taskset_sscanf").invokeInt(new Object[] {
                    new Pointer(b.address), set.toTaskset()
                }));
                assertEquals(set, b.read());
                if (!set.isEndless()) {
                    assertEquals(printed("hwloc_bitmap_snprintf", a), set.toString());
                    assertEquals(printed("hwloc_bitmap_taskset_snprintf", a), set.toTaskset());
                }
                assertEquals(printed("hwloc_bitmap_list_snprintf", a), set.toList());
                assertEquals(number("hwloc_bitmap_weight", a), set.weight());
                assertEquals(number("hwloc_bitmap_first", a), set.first());
                assertEquals(number("hwloc_bitmap_last", a), set.last());
                assertEquals(number("hwloc_bitmap_first_unset", a), set.firstUnset());
                assertEquals(number("hwloc_bitmap_last_unset", a), set.lastUnset());
            }
        }
    }

    @Test
    void edges() {
        assertEquals("0x0", Bitmap.EMPTY.toString());
        assertEquals("0xf...f", Bitmap.FULL.toString());
        assertEquals("", Bitmap.EMPTY.toList());
        assertEquals("0-", Bitmap.FULL.toList());
        assertEquals(Bitmap.EMPTY, Bitmap.FULL.not());
        assertEquals(Bitmap.of(5), Bitmap.from(5).singlify());
        assertEquals(Bitmap.EMPTY, Bitmap.range(5, 4));
        assertEquals(
                List.of(0, 63, 64, 1023),
                Bitmap.of(1023, 64, 63, 0).stream().boxed().toList());
        assertEquals(Bitmap.of(3), Bitmap.parseTaskset("8"));
        assertNotEquals(Bitmap.of(0), Bitmap.from(0));
        assertFalse(Bitmap.FULL.has(-1));
        assertTrue(Bitmap.from(Bitmap.LIMIT - 1).has(Bitmap.LIMIT - 1));
        assertThrows(IllegalStateException.class, Bitmap.FULL::stream);
        for (String wrong : List.of("", "x", "0x1,", "0x123456789", "0xf...f0", "1-3")) {
            assertThrows(IllegalArgumentException.class, () -> Bitmap.parse(wrong), wrong);
        }
        for (String wrong : List.of("3-1", "x", "1-2-3", "-1", "1048576", "0-99999999999")) {
            assertThrows(IllegalArgumentException.class, () -> Bitmap.parseList(wrong), wrong);
        }
        assertThrows(IllegalArgumentException.class, () -> Bitmap.parseTaskset("0xg"));
        assertThrows(IllegalArgumentException.class, () -> Bitmap.of(Bitmap.LIMIT));
    }

    private Pair expression(int depth) {
        if (depth == 0 || random.nextInt(6) == 0) {
            return leaf();
        }
        Pair a = expression(depth - 1);
        if (random.nextInt(4) == 0) {
            return new Pair(a.set.not(), a.model.not());
        }
        Pair b = expression(depth - 1);
        char operator = "&|^-".charAt(random.nextInt(4));
        Bitmap set =
                switch (operator) {
                    case '&' -> a.set.and(b.set);
                    case '|' -> a.set.or(b.set);
                    case '^' -> a.set.xor(b.set);
                    default -> a.set.andNot(b.set);
                };
        return new Pair(set, a.model.with(b.model, operator));
    }

    private Pair leaf() {
        BitSet bits = new BitSet();
        int first = random.nextInt(BOUND);
        switch (random.nextInt(4)) {
            case 0 -> {
                int[] numbers = random.ints(random.nextInt(9), 0, BOUND).toArray();
                Arrays.stream(numbers).forEach(bits::set);
                return new Pair(Bitmap.of(numbers), new Model(bits, false));
            }
            case 1 -> {
                int last = Math.min(BOUND - 1, first + random.nextInt(130));
                bits.set(first, last + 1);
                return new Pair(Bitmap.range(first, last), new Model(bits, false));
            }
            case 2 -> {
                bits.set(first, BOUND);
                return new Pair(Bitmap.from(first), new Model(bits, true));
            }
            default -> {
                bits.set(first);
                return new Pair(Bitmap.of(bits), new Model(bits, false));
            }
        }
    }

    private void assertSame(Pair pair) {
        BitSet found = new BitSet();
        for (int number = pair.set.first(); number >= 0 && number < BOUND; number = pair.set.next(number)) {
            found.set(number);
        }
        assertEquals(pair.model.below, found);
        assertEquals(pair.model.rest, pair.set.isEndless());
        assertEquals(pair.model.rest, pair.set.has(BOUND + random.nextInt(1000)));
        int number = random.nextInt(BOUND);
        assertEquals(pair.model.below.get(number), pair.set.has(number));
        assertEquals(pair.model.rest ? -1 : pair.model.below.cardinality(), pair.set.weight());
        assertEquals(pair.model.rest ? -1 : pair.model.below.length() - 1, pair.set.last());
    }

    private static int number(String function, NativeSet... sets) {
        Object[] pointers =
                Arrays.stream(sets).map(set -> new Pointer(set.address)).toArray();
        return function(function).invokeInt(pointers);
    }

    private static String printed(String function, NativeSet set) {
        byte[] text = new byte[4096];
        int length = function(function).invokeInt(new Object[] {text, (long) text.length, new Pointer(set.address)});
        return new String(text, 0, length, StandardCharsets.US_ASCII);
    }

    private static Function function(String name) {
        return Hwloc.library().getFunction(name);
    }
}
