// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.topology;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against hwloc's own tools, of the system's package hwloc-nox, which use the same library as we do. */
class OracleTest {
    private static final int EXPRESSIONS = 1000;
    private static final int PUS = 600;
    private static final int DEADLINE_SECONDS = 60;

    @TempDir
    Path folder;

    @Test
    void bitmapsAsHwlocCalc() throws Exception {
        Random random = new Random(5);
        List<String> lines = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        List<String> operators = List.of("", "~", "x", "^");
        List<BinaryOperator<Bitmap>> same = List.of(Bitmap::or, Bitmap::andNot, Bitmap::and, Bitmap::xor);
        for (int i = 0; i < EXPRESSIONS; i++) {
            Bitmap result = Bitmap.EMPTY;
            StringBuilder line = new StringBuilder();
            for (int j = 0; j <= random.nextInt(6); j++) {
                int first = random.nextInt(PUS);
                Bitmap operand = random.nextBoolean()
                        ? Bitmap.range(first, Math.min(PUS - 1, first + random.nextInt(PUS)))
                        : Bitmap.of(random.ints(1 + random.nextInt(20), 0, PUS).toArray());
                int operator = j == 0 ? 0 : random.nextInt(operators.size());
                line.append(operators.get(operator)).append(operand).append(' ');
                result = same.get(operator).apply(result, operand);
            }
            lines.add(line.toString());
            expected.add(result.toString());
        }
        List<String> found = run(lines, "hwloc-calc", "-i", "pu:" + PUS);
        assertEquals(
                expected, found.stream().filter(line -> line.startsWith("0x")).toList());
    }

    @Test
    void machinesAsLstopo() throws Exception {
        List<Path> files = XmlMachine.files().stream()
                .filter(file -> !file.toString().contains(".v3."))
                .toList();
        assertAll(files.stream().map(file -> () -> {
            Path written = folder.resolve("lstopo.xml");
            run(
                    List.of(),
                    "lstopo-no-graphics",
                    "-f",
                    "-i",
                    file.toString(),
                    "--filter",
                    "all:all",
                    "--disallowed",
                    "--of",
                    "xml",
                    written.toString());
            try (Topology ours = XmlTopologiesTest.everything(Files.readString(file));
                    Topology theirs = XmlTopologiesTest.everything(Files.readString(written))) {
                assertEquals(XmlTopologiesTest.picture(theirs), XmlTopologiesTest.picture(ours), file.toString());
                if (ours.distances().list().stream()
                        .anyMatch(matrix -> matrix.kinds().contains(Distances.Kind.HETEROGENEOUS_TYPES))) {
                    // hwloc-diff finds such a machine "too complex" to be like itself.
                    return;
                }
                ours.export().xml(folder.resolve("ours.xml"));
                // It ends with 0 and lists nothing where two are equal.
                List<String> differences = run(
                        List.of(),
                        "hwloc-diff",
                        written.toString(),
                        folder.resolve("ours.xml").toString());
                assertTrue(differences.stream().noneMatch(line -> line.contains("<diff ")), differences.toString());
            }
        }));
    }

    @Test
    void distributedSetsAsHwlocDistrib() throws Exception {
        Stream<String> recorded =
                XmlMachine.files().stream().map(Path::toString).filter(file -> !file.contains(".v3."));
        Stream<String> made =
                Stream.of("pack:2 core:3 pu:1", "pack:3 [numa] l3:2 core:5 pu:2", "numa:2 group:3 l2:2 core:1 pu:7");
        assertAll(Stream.concat(recorded, made).map(machine -> () -> {
            TopologyBuilder builder = machine.endsWith(".xml")
                    ? Topology.builder().xml(Path.of(machine))
                    : Topology.builder().synthetic(machine);
            try (Topology topology = builder.load()) {
                int pus = topology.objects(ObjectType.PU).size();
                for (int n : new int[] {3, pus / 2 + 1, 2 * pus}) {
                    assertEquals(
                            run(List.of(), "hwloc-distrib", "-i", machine, Integer.toString(n)),
                            topology.coverage().distribute(n).stream()
                                    .map(Bitmap::toString)
                                    .toList(),
                            n + " over " + machine);
                }
                assertEquals(
                        run(List.of(), "hwloc-distrib", "-i", machine, "--reverse", "5"),
                        topology.coverage().distribute(5, List.of(topology.root()), Integer.MAX_VALUE, true).stream()
                                .map(Bitmap::toString)
                                .toList(),
                        machine);
            }
        }));
    }

    @Test
    void syntheticDescriptionsAsLstopo() throws Exception {
        for (String machine : List.of(
                "pack:2 core:3 pu:2",
                "pack:2 [numa(memory=1GiB)] l3:2(size=1MB) l2:1 core:5 pu:2",
                "numa:2 core:2 pu:2(indexes=2*2:1*2)")) {
            try (Topology topology = Topology.builder()
                    .synthetic(machine)
                    .filterAll(TypeFilter.KEEP_ALL)
                    .load()) {
                Path written = folder.resolve("description.txt");
                run(
                        List.of(),
                        "lstopo-no-graphics",
                        "-f",
                        "-i",
                        machine,
                        "--filter",
                        "all:all",
                        "--of",
                        "synthetic",
                        written.toString());
                assertEquals(
                        Files.readString(written).strip(), topology.export().synthetic());
            }
        }
    }

    /** A tool's lines on its output, with these on its input. */
    private List<String> run(List<String> input, String... command) throws Exception {
        Path in = Files.write(folder.resolve("in"), input);
        Path out = folder.resolve("out");
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectInput(in.toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException missing) {
            throw new AssertionError(
                    "expected " + command[0]
                            + " of the system's package hwloc-nox, found none. Do make build, which installs it.",
                    missing);
        }
        assertTrue(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS), String.join(" ", command));
        assertEquals(0, process.exitValue(), String.join(" ", command));
        return Files.readString(out, StandardCharsets.UTF_8).lines().toList();
    }
}
