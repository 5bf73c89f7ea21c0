// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.profile;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Reads recordings of executors and writes what they have of processors, collections and heaps as lines of JSON, which
 * Python can read without Java: {@code java -cp sparkgap.jar org.sparkgap.spark.profile.Recording driver=a.jfr 1=b.jfr
 * 1=c.jfr}. An executor may have several, one after another.
 *
 * <p>A line is a frame, numbered by their order; a stack of such numbers, the outermost first, numbered too; samples of
 * a stack in a tenth of a second; a collection; or what a heap had before or after one.
 */
public final class Recording {
    private static final String TASK_THREAD = "Executor task";
    /**
     * Classes that the JVM makes have numbers and addresses in their names, and libraries that a jar unpacks have
     * numbers, which differ from run to run.
     */
    private static final Pattern OF_THIS_RUN =
            Pattern.compile("(?<=\\$\\$Lambda)[$0-9]*(?:[./+](?:0x[0-9a-f]+|[0-9]+))*"
                    + "|[./+]0x[0-9a-f]+(?:[./+][0-9]+)?"
                    + "|(?<=Accessor|\\$Proxy|jdk\\.proxy)[0-9]+(?=\\.)"
                    + "|-[0-9]{9,}(?=\\.so)|-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private static final long WINDOW_MILLIS = 100;
    private static final int READ_ERROR = 3;

    private final PrintStream out;
    private final Map<String, Integer> frames = new HashMap<>();
    private final Map<List<Integer>, Integer> stacks = new HashMap<>();

    Recording(PrintStream out) {
        this.out = out;
    }

    /** Writes to stdout. A recording that cannot be read is named on stderr, and the others are written. */
    public static void main(String[] words) {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        Recording lines = new Recording(out);
        Map<String, List<Path>> files = new LinkedHashMap<>();
        for (String word : words) {
            int at = word.indexOf('=');
            files.computeIfAbsent(word.substring(0, at), executor -> new ArrayList<>())
                    .add(Path.of(word.substring(at + 1)));
        }
        boolean whole = true;
        for (Map.Entry<String, List<Path>> entry : files.entrySet()) {
            whole &= lines.write(entry.getKey(), entry.getValue());
        }
        out.flush();
        System.exit(whole ? 0 : READ_ERROR);
    }

    /** False where one of them cannot be read. A task's mark is in the piece in which it ended, its samples before. */
    boolean write(String executor, List<Path> files) {
        Marks marks = new Marks(new HashMap<>());
        return each(files, marks::add) & each(files, file -> write(executor, file, marks));
    }

    private interface Reader {
        void read(Path file) throws IOException;
    }

    private static boolean each(List<Path> files, Reader reader) {
        boolean whole = true;
        for (Path file : files) {
            try {
                reader.read(file);
            } catch (IOException e) {
                System.err.println(file + ": " + e.getMessage());
                whole = false;
            }
        }
        return whole;
    }

    private void write(String executor, Path file, Marks marks) throws IOException {
        Map<Sampled, Integer> samples = new LinkedHashMap<>();
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                RecordedEvent event = recording.readEvent();
                switch (event.getEventType().getName()) {
                    case "jdk.ExecutionSample" -> sample(event, marks, samples);
                    case "jdk.GarbageCollection" -> collection(executor, event);
                    case "jdk.GCHeapSummary" -> heap(executor, event);
                    default -> {}
                }
            }
        }
        samples.forEach((sampled, n) -> out.println("{\"at_ms\":" + sampled.window * WINDOW_MILLIS + ",\"executor\":"
                + quoted(executor) + ",\"task\":" + sampled.inTask + sampled.stage + ",\"of_stack\":" + sampled.stack
                + ",\"n\":" + n + "}"));
    }

    /** Samples that are counted together. */
    private record Sampled(long window, boolean inTask, String stage, int stack) {}

    private void sample(RecordedEvent event, Marks marks, Map<Sampled, Integer> samples) {
        RecordedThread thread = event.getThread("sampledThread");
        if (event.getStackTrace() == null || thread == null) {
            return;
        }
        List<RecordedFrame> inner = event.getStackTrace().getFrames();
        List<Integer> stack = inner.stream().map(this::frame).collect(Collectors.toCollection(ArrayList::new));
        Collections.reverse(stack);
        Integer number = stacks.get(stack);
        if (number == null) {
            number = stacks.size();
            stacks.put(stack, number);
            out.println("{\"stack\":" + stack + "}");
        }
        Instant at = event.getStartTime();
        String name = thread.getJavaName();
        TaskMarkSeen mark = marks.at(number(thread), at);
        String stage = mark == null ? "" : ",\"stage\":" + mark.stage + ",\"attempt\":" + mark.attempt;
        boolean inTask = mark != null || (name != null && name.startsWith(TASK_THREAD));
        samples.merge(new Sampled(at.toEpochMilli() / WINDOW_MILLIS, inTask, stage, number), 1, Integer::sum);
    }

    /**
     * A thread's own number, which async-profiler's samples have too; of threads that are not Java's, the recording's.
     */
    private static long number(RecordedThread thread) {
        return thread.getJavaThreadId() > 0 ? thread.getJavaThreadId() : -thread.getId();
    }

    private int frame(RecordedFrame frame) {
        return frames.computeIfAbsent(ofEveryRun(name(frame.getMethod())), made -> {
            out.println("{\"frame\":" + quoted(made) + "}");
            return frames.size();
        });
    }

    static String ofEveryRun(String name) {
        return OF_THIS_RUN.matcher(name).replaceAll("");
    }

    /** Code without a class, as async-profiler sees it, is called by its own name. */
    private static String name(RecordedMethod method) {
        if (method == null) {
            return "?";
        }
        String type = method.getType().getName();
        return type.isEmpty() ? method.getName() : type + "." + method.getName();
    }

    private void collection(String executor, RecordedEvent event) {
        out.println("{\"at_ms\":" + event.getStartTime().toEpochMilli() + ",\"executor\":" + quoted(executor)
                + ",\"collector\":" + quoted(event.getString("name")) + ",\"cause\":"
                + quoted(event.getString("cause")) + ",\"pause_ms\":" + millis(event.getDuration("sumOfPauses"))
                + ",\"longest_ms\":" + millis(event.getDuration("longestPause")) + "}");
    }

    private void heap(String executor, RecordedEvent event) {
        out.println("{\"at_ms\":" + event.getStartTime().toEpochMilli() + ",\"executor\":" + quoted(executor)
                + ",\"heap_used\":" + event.getLong("heapUsed") + ",\"heap_committed\":"
                + event.getLong("heapSpace.committedSize") + ",\"heap_most\":"
                + event.getLong("heapSpace.reservedSize") + "}");
    }

    private static double millis(Duration duration) {
        return duration.toNanos() / 1e6;
    }

    private static String quoted(String text) {
        StringBuilder found = new StringBuilder("\"");
        for (char letter : String.valueOf(text).toCharArray()) {
            if (letter == '"' || letter == '\\') {
                found.append('\\').append(letter);
            } else if (letter < ' ' || Character.isSurrogate(letter)) {
                found.append(String.format("\\u%04x", (int) letter));
            } else {
                found.append(letter);
            }
        }
        return found.append('"').toString();
    }

    private record TaskMarkSeen(Instant end, int stage, int attempt) {}

    /** The tasks of each thread, by their begin. */
    private record Marks(Map<Long, TreeMap<Instant, TaskMarkSeen>> byThread) {
        void add(Path file) throws IOException {
            try (RecordingFile recording = new RecordingFile(file)) {
                while (recording.hasMoreEvents()) {
                    RecordedEvent event = recording.readEvent();
                    if (event.getEventType().getName().equals(TaskMark.NAME) && event.getThread() != null) {
                        byThread.computeIfAbsent(number(event.getThread()), thread -> new TreeMap<>())
                                .put(
                                        event.getStartTime(),
                                        new TaskMarkSeen(
                                                event.getEndTime(),
                                                event.getInt("stage"),
                                                event.getInt("stageAttempt")));
                    }
                }
            }
        }

        TaskMarkSeen at(long thread, Instant at) {
            TreeMap<Instant, TaskMarkSeen> own = byThread.get(thread);
            Map.Entry<Instant, TaskMarkSeen> last = own == null ? null : own.floorEntry(at);
            return last == null || last.getValue().end.isBefore(at) ? null : last.getValue();
        }
    }
}
