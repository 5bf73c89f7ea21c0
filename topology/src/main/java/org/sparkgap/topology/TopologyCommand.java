// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What stands below {@code sparkgap topo}: {@code json here | json xml | json synthetic TEXT}, and {@code distribute N}
 * in place of {@code json}. The XML comes on the input. The last line of stderr says what failed, and the exit status
 * which kind of error it was.
 */
public final class TopologyCommand {
    private static final int BAD_ARGUMENT = 2;
    private static final int BAD_DATA = 3;
    private static final int NO_ROOM = 4;
    private static final int NO_HWLOC = 5;
    private static final int BUG = 70;
    private static final int LONGEST = 600;

    private TopologyCommand() {}

    public static void main(String[] words) {
        List<String> left = List.of(words);
        boolean distribute = left.get(0).equals("distribute");
        String source = left.get(distribute ? 2 : 1);
        if (Hwloc.problem().isPresent()) {
            fail(NO_HWLOC, Hwloc.problem().get());
        }
        TopologyBuilder builder = Topology.builder();
        try {
            switch (source) {
                case "xml" -> builder.xml(input());
                case "synthetic" -> builder.synthetic(left.get(left.size() - 1));
                default -> {}
            }
            if (!distribute) {
                builder.filterAll(TypeFilter.KEEP_ALL).flags(TopologyFlag.INCLUDE_DISALLOWED);
            }
            try (Topology topology = builder.load();
                    Writer out = new BufferedWriter(new OutputStreamWriter(
                            new FileOutputStream(FileDescriptor.out), StandardCharsets.US_ASCII))) {
                if (distribute) {
                    for (Bitmap set : distribute(topology, Integer.parseInt(left.get(1)))) {
                        out.append(set.toString()).append('\n');
                    }
                } else {
                    topology.export().json(out);
                    out.append('\n');
                }
            }
        } catch (HwlocException | IllegalArgumentException refused) {
            fail(
                    source.equals("xml") ? BAD_DATA : source.equals("synthetic") ? BAD_ARGUMENT : NO_HWLOC,
                    refused.getMessage());
        } catch (CharacterCodingException malformed) {
            fail(
                    BAD_DATA,
                    "topology XML: expected text in UTF-8, found other bytes. Do give an XML that lstopo or export() "
                            + "wrote.");
        } catch (OutOfMemoryError full) {
            fail(
                    NO_ROOM,
                    "topology: expected room for all objects, found none in a heap of "
                            + (Runtime.getRuntime().maxMemory() >> 20) + " MiB. Do give a smaller machine.");
        } catch (IOException | RuntimeException | StackOverflowError unexpected) {
            fail(BUG, "topology: expected no failure, found " + unexpected + ". Do report it with its input.");
        }
    }

    /** Of this machine, what the mask of taskset leaves too, as {@code hwloc-distrib --restrict} with those PUs. */
    private static List<Bitmap> distribute(Topology topology, int n) {
        if (topology.isThisSystem()) {
            Bitmap usable = TopologyDocument.usable(topology, ProcessLimits.read());
            if (!usable.equals(topology.cpuset()) && !usable.isEmpty()) {
                topology.change().restrictTo(usable);
            }
        }
        return topology.coverage().distribute(n);
    }

    private static String input() throws IOException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(System.in.readAllBytes()))
                .toString();
    }

    private static void fail(int status, String message) {
        String line = String.join(" ", message.strip().split("\\s+"));
        System.err.println(
                line.length() <= LONGEST
                        ? line
                        : line.substring(0, LONGEST / 2) + " ... " + line.substring(line.length() - LONGEST / 2));
        Runtime.getRuntime().halt(status);
    }
}
