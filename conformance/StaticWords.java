// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.UTF_8;

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
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/**
 * {@code StaticWords IN OUT [KEY=VALUE]...}: a job of Hadoop MapReduce as people write it for a JVM per task. Each map
 * task counts its lines in a static field, and writes the count. With {@code reduces} it has reducers,
 * which wait {@code reduce.ms} and write what they get. With {@code lag.ms} the first attempt at the last file waits,
 * and leaves a file {@code lagged} when it has. {@code secret} is sent as a secret.
 */
public final class StaticWords {
  /** What a program may keep as well, and its JVM takes with it. */
  private static final byte[] KEPT = new byte[8 << 20];

  private static final Text SECRET = new Text("secret");

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
      byte[] secret = context.getCredentials().getSecretKey(SECRET);
      if (secret != null) {
        context.getCounter("task", "secret of " + new String(secret, UTF_8)).increment(1);
        context.getCounter("task", "classes of its own").increment(hasItsOwn() ? 1 : 0);
      }
    }

    private static boolean hasItsOwn() {
      try {
        Class<?> found = Class.forName("org.apache.commons.collections4.BagUtils");
        return found.getDeclaredMethods().length == 0;
      } catch (ClassNotFoundException e) {
        return false;
      }
    }

    @Override
    public void run(Context context) throws IOException, InterruptedException {
      long lag = context.getConfiguration().getLong("lag.ms", 0);
      boolean isLast = ((FileSplit) context.getInputSplit()).getPath().getName().equals("lines-3");
      if (lag > 0 && isLast && context.getTaskAttemptID().getId() == 0) {
        TimeUnit.MILLISECONDS.sleep(lag);
        Files.createFile(Paths.get(context.getConfiguration().get("lagged")));
      }
      super.run(context);
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
    String secret = conf.get("secret");
    conf.unset("secret");
    Job job = Job.getInstance(conf, "static");
    if (secret != null) {
      job.getCredentials().addSecretKey(SECRET, secret.getBytes(UTF_8));
    }
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
