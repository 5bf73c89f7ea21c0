// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.io.IOException;
import java.util.Map;

/** Maps, iterables, numbers and texts as JSON in ASCII, on one line; what is iterated is not kept. */
final class Json {
    private Json() {}

    static void write(Object value, Appendable out) throws IOException {
        if (value instanceof Map<?, ?> map) {
            String before = "{";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                out.append(before);
                text(entry.getKey().toString(), out);
                out.append(": ");
                write(entry.getValue(), out);
                before = ", ";
            }
            out.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof Iterable<?> list) {
            String before = "";
            out.append('[');
            for (Object element : list) {
                out.append(before);
                write(element, out);
                before = ", ";
            }
            out.append(']');
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(String.valueOf(value));
        } else {
            text(value.toString(), out);
        }
    }

    private static void text(String text, Appendable out) throws IOException {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
