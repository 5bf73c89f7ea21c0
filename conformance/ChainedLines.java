// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.GenericOptionsParser;

/**
 * {@code ChainedLines IN BETWEEN OUT GATE}: a chain of two jobs that copy lines: from IN to BETWEEN and from there to
 * OUT-1. Between them it makes the file GATE and waits until that has gone. Then it writes BETWEEN's file anew, as long
 * as it was, with all lines "new", and copies that to OUT-2.
 */
public final class ChainedLines {
  /** Takes the place in the file away. */
  public static final class Lines extends Mapper<LongWritable, Text, Text, NullWritable> {
    @Override
    protected void map(LongWritable at, Text line, Context context) throws IOException, InterruptedException {
      context.write(line, NullWritable.get());
    }
  }

  private static void copy(Configuration conf, Path from, Path to) throws Exception {
    Job job = Job.getInstance(conf, "lines");
    job.setJarByClass(ChainedLines.class);
    job.setMapperClass(Lines.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    FileInputFormat.addInputPath(job, from);
    FileOutputFormat.setOutputPath(job, to);
    if (!job.waitForCompletion(true)) {
      System.exit(1);
    }
  }

  public static void main(String[] words) throws Exception {
    Configuration conf = new Configuration();
    String[] args = new GenericOptionsParser(conf, words).getRemainingArgs();
    Path between = new Path(args[1]);
    copy(conf, new Path(args[0]), between);
    Files.createFile(Paths.get(args[3]));
    while (Files.exists(Paths.get(args[3]))) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
    copy(conf, between, new Path(args[2] + "-1"));
    Path file = new Path(between, "part-m-00000");
    FileSystem files = file.getFileSystem(conf);
    long length = files.getFileStatus(file).getLen();
    try (OutputStream out = files.create(file, true)) {
      for (long i = 0; i < length / 4; ++i) {
        out.write("new\n".getBytes("UTF-8"));
      }
    }
    copy(conf, between, new Path(args[2] + "-2"));
  }
}
