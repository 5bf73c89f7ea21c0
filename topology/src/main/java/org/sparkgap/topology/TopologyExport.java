// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A topology as text, to keep or to hand to lstopo and others.
 *
 * <pre>{@code
 * topology.export().xml(Path.of("machine.xml"));         // lstopo -i machine.xml
 * Topology.builder().xml(topology.export().xml()).load();
 * topology.export().synthetic();                         // "[NUMANode(memory=...)] Package:1 ..."
 * topology.export().json();                              // {"hwloc": "2.8.0", "process": ..., "objects": [...
 * }</pre>
 */
public final class TopologyExport {
    /** What an XML can be read by. */
    public enum Format {
        /** This version of hwloc and later ones. */
        NEWEST,
        /** hwloc 2 and 3. */
        VERSION_2,
        /** hwloc 1 and 2; hwloc 3 cannot write it. */
        VERSION_1
    }

    private static final int FIRST_GUESS = 1 << 12;

    private final Topology topology;

    TopologyExport(Topology topology) {
        this.topology = topology;
    }

    public String xml() {
        return xml(Format.NEWEST);
    }

    public String xml(Format format) {
        long flags = flags(format);
        return topology.handle().change(address -> {
            long[] text = new long[1];
            int[] length = new int[1];
            if (Calls.hwloc_topology_export_xmlbuffer(address, text, length, flags) != 0) {
                throw HwlocException.failed(
                        "export as XML",
                        "look whether this version of hwloc, " + Hwloc.version() + ", writes " + format);
            }
            try {
                // The length counts the byte that ends the text.
                return RawMemory.text(text[0], length[0]).replace("\0", "");
            } finally {
                Calls.hwloc_free_xmlbuffer(address, text[0]);
            }
        });
    }

    public void xml(Path file) {
        try {
            Files.writeString(file, xml());
        } catch (IOException failed) {
            throw new UncheckedIOException(
                    "topology: expected to write " + file + ", found " + failed.getMessage()
                            + ". Do name a file that can be written.",
                    failed);
        }
    }

    /**
     * Everything as one line of JSON: objects, distances, memory attributes, kinds of CPUs, and of this machine what
     * this process may use. See docs/topology.md.
     */
    public String json() {
        StringBuilder text = new StringBuilder();
        try {
            json(text);
        } catch (IOException never) {
            throw new UncheckedIOException(never);
        }
        return text.toString();
    }

    /** The same, written as it is made. */
    public void json(Appendable out) throws IOException {
        Json.write(TopologyDocument.of(topology), out);
    }

    public String synthetic() {
        return synthetic(false, false);
    }

    /**
     * The levels of the tree. Errors: HwlocException where the machine is not symmetric, or has memory that such a text
     * cannot name.
     *
     * @param withoutAttributes no sizes and no numbers
     * @param withoutMemory no NUMA nodes
     */
    public String synthetic(boolean withoutAttributes, boolean withoutMemory) {
        if (!topology.root().isSymmetric()) {
            throw refused("parts that are all alike", "an asymmetric machine");
        }
        // hwloc asserts or loops for ever where a node of the machine is no object or hangs below a memory-side cache.
        boolean plainMemory = topology.objects(ObjectType.NUMANODE).stream()
                .allMatch(node -> node.parent().type().isNormal());
        boolean allNodes = topology.nodeset().stream()
                .allMatch(node -> topology.numaNode(node).isPresent());
        if (!withoutMemory && !(plainMemory && allNodes)) {
            throw refused("NUMA nodes that hang on the tree of processors", "others");
        }
        long flags = (withoutAttributes ? 2 : 0) | (withoutMemory ? Hwloc.major() >= 3 ? 4 : 8 : 0);
        return topology.handle().read(address -> {
            byte[] text = new byte[FIRST_GUESS];
            int length = export(address, text, flags);
            if (length >= text.length) {
                text = new byte[length + 1];
                length = export(address, text, flags);
            }
            return new String(text, 0, length, StandardCharsets.US_ASCII);
        });
    }

    private static int export(long address, byte[] text, long flags) {
        int length = Calls.hwloc_topology_export_synthetic(address, text, text.length, flags);
        if (length < 0) {
            throw HwlocException.failed("export as a synthetic description", "export it as XML");
        }
        return length;
    }

    private static HwlocException refused(String expected, String found) {
        return HwlocException.refused("synthetic export", expected, found, "export it as XML");
    }

    private static long flags(Format format) {
        if (format == Format.VERSION_1 && Hwloc.major() >= 3) {
            throw HwlocException.refused("XML export", "hwloc 2 for version 1", Hwloc.version(), "export version 2");
        }
        return switch (format) {
            case NEWEST -> 0;
            case VERSION_2 -> Hwloc.major() >= 3 ? 2 : 0;
            case VERSION_1 -> 1;
        };
    }
}
