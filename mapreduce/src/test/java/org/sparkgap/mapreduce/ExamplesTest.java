// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.examples.BaileyBorweinPlouffe;
import org.apache.hadoop.examples.Grep;
import org.apache.hadoop.examples.Join;
import org.apache.hadoop.examples.MultiFileWordCount;
import org.apache.hadoop.examples.QuasiMonteCarlo;
import org.apache.hadoop.examples.Sort;
import org.apache.hadoop.examples.WordMean;
import org.apache.hadoop.examples.WordMedian;
import org.apache.hadoop.examples.WordStandardDeviation;
import org.apache.hadoop.examples.dancing.DistributedPentomino;
import org.apache.hadoop.examples.terasort.TeraGen;
import org.apache.hadoop.examples.terasort.TeraSort;
import org.apache.hadoop.examples.terasort.TeraValidate;
import org.apache.hadoop.util.ReflectionUtils;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Hadoop's own examples write the same on Spark as on Hadoop. */
class ExamplesTest {
    private static final String TEXT = "org.apache.hadoop.io.Text";
    private static final String TUPLE = "org.apache.hadoop.mapreduce.lib.join.TupleWritable";
    private static final String LIB = "org.apache.hadoop.mapreduce.lib.";

    /** Hadoop's sort puts records of one key in an order of its own. */
    private static final Set<Class<?>> TIED = Set.of(Grep.class, Sort.class);

    @TempDir
    Path folder;

    /** One program with its words: {in} has text, {pairs} words with numbers, {out} is where it writes. */
    record Program(Class<? extends Tool> tool, String words) {
        @Override
        public String toString() {
            return tool.getSimpleName();
        }
    }

    static Stream<List<Program>> programs() {
        String types = "-outKey " + TEXT + " -outValue " + TEXT + " -outFormat " + LIB + "output.TextOutputFormat";
        String inFormat = LIB + "input.KeyValueTextInputFormat";
        return Stream.of(
                List.of(new Program(WordMean.class, "{in} {out}")),
                List.of(new Program(WordMedian.class, "{in} {out}")),
                List.of(new Program(WordStandardDeviation.class, "{in} {out}")),
                List.of(new Program(Grep.class, "{in} {out} wor[a-z]*")),
                List.of(new Program(MultiFileWordCount.class, "{in} {out}")),
                List.of(new Program(QuasiMonteCarlo.class, "3 1000")),
                List.of(new Program(BaileyBorweinPlouffe.class, "1 20 3 {out}")),
                List.of(new Program(DistributedPentomino.class, "{out} -depth 2 -height 3 -width 20")),
                List.of(new Program(Sort.class, "-r 3 -inFormat " + inFormat + " " + types + " {pairs} {out}")),
                List.of(new Program(
                        Join.class,
                        "-r 2 -inFormat " + inFormat + " "
                                + types.replace(" " + TEXT + " -outFormat", " " + TUPLE + " -outFormat")
                                + " {sorted} {sorted} {out}")),
                List.of(
                        new Program(TeraGen.class, "3000 {out}"),
                        new Program(TeraSort.class, "-Dmapreduce.job.reduces=3 {before} {out}"),
                        new Program(TeraValidate.class, "{before} {out}")));
    }

    @ParameterizedTest
    @MethodSource("programs")
    void examplesWriteTheSame(List<Program> programs) throws Exception {
        Map<Engine, Map<String, String>> written = new HashMap<>();
        for (Engine engine : Engine.values()) {
            written.put(engine, Engine.files(outputOf(programs, engine)));
        }
        boolean writes = programs.get(0).words.contains("{out}");
        assertEquals(writes, !written.get(Engine.SPARKGAP).isEmpty());
        if (TIED.contains(programs.get(0).tool)) {
            written.values().forEach(files -> files.replaceAll((name, text) -> sorted(text)));
        }
        // Its wall time in seconds is in the file.
        written.values().forEach(files -> files.remove("pi.txt"));
        assertEquals(written.get(Engine.LOCAL), written.get(Engine.SPARKGAP));
        assertFalse(
                Files.exists(folder.resolve("SPARKGAP/staging"))
                        && Engine.files(folder.resolve("SPARKGAP/staging")).size() > 0,
                "the staging area is empty again");
    }

    private static String sorted(String text) {
        return text.lines().sorted().collect(Collectors.joining("\n"));
    }

    private Path outputOf(List<Program> programs, Engine engine) throws Exception {
        Path own = Files.createDirectories(engine.folder(folder));
        Path in = Files.createDirectories(own.resolve("in"));
        Path pairs = Files.createDirectories(own.resolve("pairs"));
        for (int i = 0; i < 2; ++i) {
            int seed = i;
            Files.write(
                    in.resolve("text" + i),
                    IntStream.range(0, 200)
                            .mapToObj(line ->
                                    "word" + (line * 7 + seed) % 13 + " some more words " + "x".repeat(line % 9))
                            .collect(Collectors.toList()));
            Files.write(
                    pairs.resolve("pairs" + i),
                    IntStream.range(0, 300)
                            .mapToObj(line -> (line * 31 + seed) % 601 + "\t" + line)
                            .collect(Collectors.toList()));
        }
        Path sorted = Files.createDirectories(own.resolve("sorted"));
        Files.write(
                sorted.resolve("part"),
                IntStream.range(100, 200).mapToObj(i -> i + "\t" + i).toList());
        Path output = own;
        Path before = own;
        int number = 0;
        for (Program program : programs) {
            before = output;
            output = own.resolve("out" + number++);
            String[] words = program.words
                    .replace("{in}", in.toString())
                    .replace("{pairs}", pairs.toString())
                    .replace("{sorted}", sorted.toString())
                    .replace("{before}", before.toString())
                    .replace("{out}", output.toString())
                    .split(" ");
            Configuration conf = engine.conf(own);
            conf.setInt("mapreduce.job.maps", 1); // as Hadoop does in this process
            assertEquals(
                    0,
                    ToolRunner.run(conf, ReflectionUtils.newInstance(program.tool, conf), words),
                    program + " on " + engine);
        }
        return Files.exists(output) ? output : Files.createDirectories(output);
    }
}
