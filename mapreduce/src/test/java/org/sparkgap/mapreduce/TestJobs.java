// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.mapreduce;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;

/** What the jobs of tests are made of. */
final class TestJobs {
    static final String DIARY = "test.diary";

    private TestJobs() {}

    enum Seen {
        LINES,
        GROUPS
    }

    /** A line is a word and a number. */
    static class Words extends Mapper<LongWritable, Text, Text, IntWritable> {
        @Override
        protected void map(LongWritable at, Text line, Context context) throws IOException, InterruptedException {
            String[] parts = line.toString().split(" ");
            context.getCounter(Seen.LINES).increment(1);
            context.write(new Text(parts[0]), new IntWritable(Integer.parseInt(parts[1])));
        }
    }

    static class Sum extends Reducer<Text, IntWritable, Text, IntWritable> {
        @Override
        protected void reduce(Text word, Iterable<IntWritable> numbers, Context context)
                throws IOException, InterruptedException {
            int sum = 0;
            for (IntWritable number : numbers) {
                sum += number.get();
            }
            context.getCounter(Seen.GROUPS).increment(1);
            context.write(word, new IntWritable(sum));
        }
    }

    /** The same in the old API. */
    static class OldWords extends MapReduceBase
            implements org.apache.hadoop.mapred.Mapper<LongWritable, Text, Text, IntWritable> {
        @Override
        public void map(LongWritable at, Text line, OutputCollector<Text, IntWritable> out, Reporter reporter)
                throws IOException {
            String[] parts = line.toString().split(" ");
            reporter.incrCounter(Seen.LINES, 1);
            out.collect(new Text(parts[0]), new IntWritable(Integer.parseInt(parts[1])));
        }
    }

    static class OldSum extends MapReduceBase
            implements org.apache.hadoop.mapred.Reducer<Text, IntWritable, Text, IntWritable> {
        @Override
        public void reduce(
                Text word, Iterator<IntWritable> numbers, OutputCollector<Text, IntWritable> out, Reporter reporter)
                throws IOException {
            int sum = 0;
            while (numbers.hasNext()) {
                sum += numbers.next().get();
            }
            out.collect(word, new IntWritable(sum));
        }
    }

    /** An order that only its own comparator knows. */
    static class Backwards extends WritableComparator {
        Backwards() {
            super(Text.class, true);
        }

        @Override
        @SuppressWarnings({"rawtypes", "unchecked"})
        public int compare(org.apache.hadoop.io.WritableComparable a, org.apache.hadoop.io.WritableComparable b) {
            return b.compareTo(a);
        }
    }

    static class Nowhere extends Partitioner<Text, IntWritable> {
        @Override
        public int getPartition(Text word, IntWritable number, int partitions) {
            return partitions;
        }
    }

    /** Values of six megabytes, more than a chunk has. */
    static class Large extends Mapper<LongWritable, Text, Text, Text> {
        @Override
        protected void map(LongWritable at, Text line, Context context) throws IOException, InterruptedException {
            context.write(new Text("large"), new Text("x".repeat(6 << 20)));
        }
    }

    /** More than a combiner's groups have room for. */
    static class Many extends Mapper<LongWritable, Text, Text, Text> {
        @Override
        protected void map(LongWritable at, Text line, Context context) throws IOException, InterruptedException {
            for (int i = 0; i < 48; ++i) {
                context.write(new Text("key" + i % 3), new Text("x".repeat((1 << 20) + i)));
            }
        }
    }

    static class Longest extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(Text key, Iterable<Text> values, Context context)
                throws IOException, InterruptedException {
            Text longest = new Text();
            for (Text value : values) {
                if (value.getLength() > longest.getLength()) {
                    longest.set(value);
                }
            }
            context.write(key, longest);
        }
    }

    static class Lengths extends Reducer<Text, Text, Text, IntWritable> {
        @Override
        protected void reduce(Text key, Iterable<Text> values, Context context)
                throws IOException, InterruptedException {
            for (Text value : values) {
                context.write(key, new IntWritable(value.getLength()));
            }
        }
    }

    /** Writes down each attempt; those of the job's setting "test.failing" fail, or all where it is -1. */
    static class Failing extends Words {
        @Override
        protected void setup(Context context) throws IOException {
            int attempt = context.getTaskAttemptID().getId();
            note(context, "attempt of " + context.getTaskAttemptID().getTaskID().getId());
            int failing = context.getConfiguration().getInt("test.failing", 0);
            if (failing < 0 || attempt < failing) {
                throw new IOException("planted failure of attempt " + attempt);
            }
        }
    }

    static class Sleeping extends Words {
        @Override
        protected void setup(Context context) throws IOException, InterruptedException {
            note(context, "sleeps");
            Thread.sleep(60_000);
        }
    }

    /** Reads the cached file by its link, and writes a file beside it. */
    static class Cached extends Mapper<LongWritable, Text, Text, IntWritable> {
        @Override
        protected void setup(Context context) throws IOException, InterruptedException {
            try (BufferedReader lines = new BufferedReader(new FileReader("link.txt", StandardCharsets.UTF_8))) {
                context.write(new Text(lines.readLine()), new IntWritable(1));
            }
            String[] there = new File(".").list();
            context.write(new Text("files in the folder"), new IntWritable(there == null ? -1 : there.length));
            Files.writeString(Path.of("mine.txt"), "mine");
            context.write(new Text(new File("mine.txt").exists() ? "mine" : "not mine"), new IntWritable(1));
            context.write(new Text(context.getLocalCacheFiles()[0].getName()), new IntWritable(1));
        }

        @Override
        protected void map(LongWritable at, Text line, Context context) {}
    }

    /** Writes down which of its methods are called. */
    static class Noted<K, V> extends TextOutputFormat<K, V> {
        @Override
        public synchronized OutputCommitter getOutputCommitter(TaskAttemptContext context) throws IOException {
            return new FileOutputCommitter(getOutputPath(context), context) {
                @Override
                public void setupJob(JobContext job) throws IOException {
                    note(job, "setupJob");
                    super.setupJob(job);
                }

                @Override
                public void commitJob(JobContext job) throws IOException {
                    note(job, "commitJob");
                    super.commitJob(job);
                }

                @Override
                public void abortJob(JobContext job, JobStatus.State state) throws IOException {
                    note(job, "abortJob " + state);
                    super.abortJob(job, state);
                }

                @Override
                public void commitTask(TaskAttemptContext task) throws IOException {
                    note(
                            task,
                            "commitTask " + task.getTaskAttemptID().getTaskID().getTaskType());
                    super.commitTask(task);
                }

                @Override
                public void abortTask(TaskAttemptContext task) throws IOException {
                    note(
                            task,
                            "abortTask " + task.getTaskAttemptID().getTaskID().getTaskType());
                    super.abortTask(task);
                }
            };
        }
    }

    private static void note(JobContext job, String line) throws IOException {
        Path diary = Path.of(job.getConfiguration().get(DIARY));
        synchronized (TestJobs.class) {
            Files.writeString(diary, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
    }
}
