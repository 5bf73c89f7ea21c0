// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/**
 * {@code StaticWords IN OUT [KEY=VALUE]...}: a job of Hadoop MapReduce as people write it for a JVM per task. Each map
 * task counts its lines in a static field, and writes the count. With {@code reduces} it has reducers,
 * which wait {@code reduce.ms} and write what they get.
 */
public final class StaticWords {
  /** What a program may keep as well, and its JVM takes with it. */
  private static final byte[] KEPT = new byte[8 << 20];

  private static long lines;

  /** Is slow, so that tasks of two slots overlap. Counts the processors that its thread may run on. */
  public static final class Count extends Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    protected void setup(Context context) throws IOException {
      for (String line : Files.readAllLines(Paths.get("/proc/thread-self/status"))) {
        if (line.startsWith("Cpus_allowed:")) {
          String mask = line.substring(line.indexOf(':') + 1).strip().replace(",", "");
          context.getCounter("task", "processors").increment(new BigInteger(mask, 16).bitCount());
        }
      }
    }

    @Override
    protected void map(LongWritable at, Text line, Context context) throws InterruptedException {
      TimeUnit.MILLISECONDS.sleep(2);
      ++lines;
      KEPT[(int) lines % KEPT.length] = 1;
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      // Something for each reducer: keys of neighbouring digits are of neighbouring ones.
      for (int i = 0; i < Math.max(1, context.getNumReduceTasks()); ++i) {
        context.write(new Text(String.valueOf(i)), new LongWritable(i == 0 ? lines : 0));
      }
    }
  }

  /** Waits, and writes the records as they are. */
  public static final class Wait extends Reducer<Text, LongWritable, Text, LongWritable> {
    @Override
    protected void setup(Context context) throws InterruptedException {
      TimeUnit.MILLISECONDS.sleep(context.getConfiguration().getLong("reduce.ms", 0));
    }
  }

  public static void main(String[] args) throws Exception {
    Configuration conf = new Configuration();
    for (int i = 2; i < args.length; ++i) {
      conf.set(args[i].split("=")[0], args[i].split("=")[1]);
    }
    Job job = Job.getInstance(conf, "static");
    job.setJarByClass(StaticWords.class);
    job.setMapperClass(Count.class);
    job.setReducerClass(Wait.class);
    job.setNumReduceTasks(conf.getInt("reduces", 0));
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    System.exit(job.waitForCompletion(true) ? 0 : 1);
  }
}
