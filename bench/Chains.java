// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Iterative jobs as users write them with Hadoop's API: each iteration is a job, whose output the next one reads. Its
 * words: kmeans, pagerank or components; input; output; iterations. All numbers are integers, so that no result depends
 * on the order in which values come.
 */
public final class Chains extends Configured implements Tool {
    private static final String CENTERS = "chains.centers";

    public static void main(String[] words) throws Exception {
        System.exit(ToolRunner.run(new Chains(), words));
    }

    @Override
    public int run(String[] words) throws Exception {
        Path input = new Path(words[1]);
        Path output = new Path(words[2]);
        int iterations = Integer.parseInt(words[3]);
        FileSystem files = output.getFileSystem(getConf());
        Path last = input;
        for (int i = 1; i <= iterations; ++i) {
            Path next = i == iterations ? output : output.suffix("-" + i);
            Job job = Job.getInstance(getConf(), words[0] + " " + i);
            job.setJarByClass(Chains.class);
            FileOutputFormat.setOutputPath(job, next);
            switch (words[0]) {
                case "kmeans" -> kmeans(job, input, i == 1 ? new Path(words[4]) : last);
                case "pagerank" -> graph(job, last, Shares.class, Ranks.class);
                default -> graph(job, last, Labels.class, Least.class);
            }
            if (!job.waitForCompletion(false)) {
                return 1;
            }
            if (i > 1) {
                files.delete(last, true);
            }
            last = next;
        }
        return 0;
    }

    private static void kmeans(Job job, Path points, Path centers) throws IOException {
        FileInputFormat.addInputPath(job, points);
        job.getConfiguration().set(CENTERS, centers.toString());
        job.setMapperClass(Nearest.class);
        job.setCombinerClass(Sums.class);
        job.setReducerClass(Means.class);
        job.setMapOutputKeyClass(IntWritable.class);
        job.setMapOutputValueClass(Text.class);
        job.setOutputKeyClass(IntWritable.class);
        job.setOutputValueClass(Text.class);
    }

    private static void graph(
            Job job, Path vertices, Class<? extends Mapper> mapper, Class<? extends Reducer> reducer)
            throws IOException {
        job.setInputFormatClass(KeyValueTextInputFormat.class);
        FileInputFormat.addInputPath(job, vertices);
        job.setMapperClass(mapper);
        job.setReducerClass(reducer);
        job.setNumReduceTasks(2);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(Text.class);
    }

    private static long[] numbers(String line) {
        String[] parts = line.split(" ");
        long[] found = new long[parts.length];
        for (int i = 0; i < parts.length; ++i) {
            found[i] = Long.parseLong(parts[i]);
        }
        return found;
    }

    private static Text joined(long[] numbers) {
        StringBuilder line = new StringBuilder();
        for (long number : numbers) {
            line.append(line.isEmpty() ? "" : " ").append(number);
        }
        return new Text(line.toString());
    }

    /** A point goes to its nearest center, with a 1 at its end. */
    static class Nearest extends Mapper<LongWritable, Text, IntWritable, Text> {
        private final List<long[]> centers = new ArrayList<>();
        private final IntWritable nearest = new IntWritable();

        @Override
        protected void setup(Context context) throws IOException {
            Path folder = new Path(context.getConfiguration().get(CENTERS));
            FileSystem files = folder.getFileSystem(context.getConfiguration());
            for (FileStatus part : files.listStatus(folder, path -> !path.getName().startsWith("_"))) {
                try (BufferedReader lines = new BufferedReader(
                        new InputStreamReader(files.open(part.getPath()), StandardCharsets.UTF_8))) {
                    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                        centers.add(numbers(line.substring(line.indexOf('\t') + 1)));
                    }
                }
            }
        }

        @Override
        protected void map(LongWritable at, Text line, Context context) throws IOException, InterruptedException {
            long[] point = numbers(line.toString());
            long least = Long.MAX_VALUE;
            for (int i = 0; i < centers.size(); ++i) {
                long distance = 0;
                for (int k = 0; k < point.length; ++k) {
                    long off = point[k] - centers.get(i)[k];
                    distance += off * off;
                }
                if (distance < least) {
                    least = distance;
                    nearest.set(i);
                }
            }
            context.write(nearest, new Text(line + " 1"));
        }
    }

    private static long[] sum(Iterable<Text> points) {
        long[] sum = null;
        for (Text each : points) {
            long[] point = numbers(each.toString());
            if (sum == null) {
                sum = new long[point.length];
            }
            for (int k = 0; k < sum.length; ++k) {
                sum[k] += point[k];
            }
        }
        return sum;
    }

    static class Sums extends Reducer<IntWritable, Text, IntWritable, Text> {
        @Override
        protected void reduce(IntWritable center, Iterable<Text> points, Context context)
                throws IOException, InterruptedException {
            context.write(center, joined(sum(points)));
        }
    }

    static class Means extends Reducer<IntWritable, Text, IntWritable, Text> {
        @Override
        protected void reduce(IntWritable center, Iterable<Text> points, Context context)
                throws IOException, InterruptedException {
            long[] sum = sum(points);
            long[] mean = new long[sum.length - 1];
            for (int k = 0; k < mean.length; ++k) {
                mean[k] = sum[k] / sum[mean.length];
            }
            context.write(center, joined(mean));
        }
    }

    /** A vertex is "value neighbour neighbour ...": it sends its share of its rank to each, and itself on. */
    static class Shares extends Mapper<Text, Text, Text, Text> {
        @Override
        protected void map(Text vertex, Text line, Context context) throws IOException, InterruptedException {
            String[] parts = line.toString().split(" ");
            context.write(vertex, new Text("=" + line));
            if (parts.length > 1) {
                Text share = new Text(Long.toString(Long.parseLong(parts[0]) / (parts.length - 1)));
                for (int i = 1; i < parts.length; ++i) {
                    context.write(new Text(parts[i]), share);
                }
            }
        }
    }

    private static String neighbours(String line) {
        int at = line.indexOf(' ');
        return at < 0 ? "" : line.substring(at);
    }

    static class Ranks extends Reducer<Text, Text, Text, Text> {
        private static final long ONE = 1_000_000_000_000L;

        @Override
        protected void reduce(Text vertex, Iterable<Text> lines, Context context)
                throws IOException, InterruptedException {
            String own = "";
            long sum = 0;
            for (Text each : lines) {
                String line = each.toString();
                if (line.startsWith("=")) {
                    own = neighbours(line);
                } else {
                    sum += Long.parseLong(line);
                }
            }
            context.write(vertex, new Text((ONE / 100 * 15 + sum / 100 * 85) + own));
        }
    }

    /** A vertex sends its label to its neighbours. */
    static class Labels extends Mapper<Text, Text, Text, Text> {
        @Override
        protected void map(Text vertex, Text line, Context context) throws IOException, InterruptedException {
            String[] parts = line.toString().split(" ");
            context.write(vertex, new Text("=" + line));
            for (int i = 1; i < parts.length; ++i) {
                context.write(new Text(parts[i]), new Text(parts[0]));
            }
        }
    }

    static class Least extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(Text vertex, Iterable<Text> lines, Context context)
                throws IOException, InterruptedException {
            String own = "";
            long least = Long.MAX_VALUE;
            for (Text each : lines) {
                String line = each.toString();
                boolean isOwn = line.startsWith("=");
                if (isOwn) {
                    own = neighbours(line);
                }
                String label = isOwn ? line.substring(1, line.length() - own.length()) : line;
                least = Math.min(least, Long.parseLong(label));
            }
            context.write(vertex, new Text(least + own));
        }
    }
}
