// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * {@code Planted FOLDER}: jobs whose tasks spend nearly all of their time on one thing each, which their description
 * names; on two executors of one slot. The folder is on a slow disk.
 */
public final class Planted {
  private static final long MOMENT_MS = 1500;
  private static final int BLOCK = 256 << 10;

  /** What the executor packs slowly, as a result. */
  private static final class SlowToPack implements Serializable {
    private void writeObject(ObjectOutputStream out) throws IOException {
      pause();
    }
  }

  /** What the executor unpacks slowly, with a task. */
  private static final class SlowToUnpack implements Serializable {
    private void readObject(ObjectInputStream in) throws IOException {
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(MOMENT_MS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  public static void main(String[] args) {
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf().setAppName("planted"))) {
      List<Integer> two = List.of(0, 1);
      spark.parallelize(two, 2).map(i -> SparkEnv.get().executorId()).collect(); // classes are loaded here
      spark.setJobDescription("serialize");
      spark.parallelize(two, 2).map(i -> new SlowToPack()).collect();

      spark.setJobDescription("deserialize");
      SlowToUnpack slow = new SlowToUnpack();
      spark.parallelize(two, 2).map(i -> slow.hashCode()).collect();

      spark.setJobDescription("file_io");
      String folder = args[0];
      spark.parallelize(two, 2).map(i -> writeToDisk(Path.of(folder, "file-" + i))).collect();

      spark.setJobDescription("pending");
      sleepWhereTheyWantTo(spark);
    }
  }

  /** Bytes go to the disk itself for a moment at least, past the memory that the kernel keeps files in. */
  private static long writeToDisk(Path file) throws IOException {
    ByteBuffer block = ByteBuffer.allocateDirect(3 * BLOCK).alignedSlice(BLOCK).limit(BLOCK);
    long end = System.nanoTime() + MOMENT_MS * 1_000_000, written = 0;
    try (FileChannel out = FileChannel.open(
        file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, ExtendedOpenOption.DIRECT)) {
      while (System.nanoTime() < end) {
        written += out.write(block.rewind(), 0);
      }
    }
    return written;
  }

  /** Four tasks that prefer one executor, for which Spark waits longer than each takes; the other has nothing to do. */
  private static void sleepWhereTheyWantTo(JavaSparkContext spark) {
    String place = "executor_" + spark.getConf().get("spark.driver.host") + "_0";
    List<Tuple2<Integer, Seq<String>>> tasks = Stream.of(0, 1, 2, 3)
        .map(i -> new Tuple2<>(i, CollectionConverters.asScala(List.of(place)).toSeq()))
        .toList();
    spark.sc().makeRDD(CollectionConverters.asScala(tasks).toSeq(), ClassTag$.MODULE$.<Integer>apply(Integer.class))
        .toJavaRDD()
        .map(i -> {
          pause();
          return i;
        })
        .collect();
  }
}
