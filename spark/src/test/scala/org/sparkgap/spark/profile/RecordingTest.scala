// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.profile

import java.io.{ByteArrayOutputStream, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.zip.CRC32

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import jdk.jfr.FlightRecorder
import org.junit.jupiter.api.Assertions.{assertEquals, assertFalse, assertTrue}
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir

/** Real recordings of this JVM: a thread that burns under a task's mark, and a collection. */
class RecordingTest {
  private val Json = new ObjectMapper
  private val Burns = 200000000L // nanoseconds

  private def lines(files: Path*): Seq[JsonNode] = {
    val bytes = new ByteArrayOutputStream
    val whole = Using.resource(new PrintStream(bytes, false, UTF_8))(new Recording(_).write("7", files.asJava))
    assertTrue(whole)
    bytes.toString(UTF_8).linesIterator.map(line => Json.readTree(line)).toSeq
  }

  private def burn(): Unit = {
    val (end, sum) = (System.nanoTime() + Burns, new CRC32)
    while (System.nanoTime() < end) for (i <- 1 to 100000) sum.update(i)
    assertTrue(sum.getValue != 0)
  }

  private def onAThread(name: String)(body: => Unit): Unit = {
    val thread = new Thread(() => body, name)
    thread.start()
    thread.join()
  }

  private def recorded(file: Path)(body: => Unit): Seq[JsonNode] = {
    Using.resource(new jdk.jfr.Recording(jdk.jfr.Configuration.getConfiguration("default"))) { recording =>
      recording.start()
      body
      recording.stop()
      recording.dump(file)
    }
    lines(file)
  }

  @Test def samplesHaveTheStageOfTheirTask(@TempDir scratch: Path): Unit = {
    // The sampler may pass over a thread for a while on a busy machine.
    val file = scratch.resolve("a.jfr")
    var found = Seq.empty[JsonNode]
    while (!Set(true, false).forall(marked =>
        found.exists(line =>
          line.has("stage") == marked && line.has("of_stack") &&
            line.path("task").asBoolean)))
      found = recorded(file) {
        onAThread("Executor task launch worker-0") {
          val mark = new TaskMark
          mark.stage = 3
          mark.stageAttempt = 1
          mark.begin()
          burn()
          mark.commit()
        }
        onAThread("Executor task launch worker-1")(burn())
        System.gc()
      }
    val of = found.filter(_.has("stage"))
    assertEquals(Set((3, 1, "7")),
      of.map(line =>
        (line.path("stage").asInt, line.path("attempt").asInt,
          line.path("executor").asText)).toSet)
    val frames = found.filter(_.has("frame")).map(_.path("frame").asText)
    val stacks = found.filter(_.has("stack")).map(_.path("stack").elements.asScala.map(i => frames(i.asInt)).toSeq)
    assertTrue(of.forall(line => stacks(line.path("of_stack").asInt).exists(_.endsWith("RecordingTest.burn"))), s"$of")
    assertTrue(of.forall(line => stacks(line.path("of_stack").asInt).head == "java.lang.Thread.run"), "outermost first")
    assertEquals(Seq(), frames.filter(_.matches(".*(\\$\\$Lambda[^.]*[0-9]|0x[0-9a-f]{6}).*")))

    val collections = found.filter(_.has("collector"))
    assertTrue(collections.exists(line =>
        line.path("cause").asText == "System.gc()" &&
          line.path("pause_ms").asDouble > 0 && line.path("longest_ms").asDouble <= line.path("pause_ms").asDouble))
    val heaps = found.filter(_.has("heap_used"))
    assertTrue(heaps.nonEmpty && heaps.forall(line =>
      line.path("heap_used").asLong > 0 &&
        line.path("heap_used").asLong <= line.path("heap_most").asLong))
    assertTrue(found.forall(line => !line.has("at_ms") || line.path("at_ms").asLong > 1700000000000L))
  }

  @Test def aNameIsTheSameInEveryRun(): Unit = Seq(
    "A$$Lambda$280+0x00007fcae0148208.62343880.invoke" -> "A$$Lambda.invoke",
    "A$$Lambda.0x00007fcae0148208.invoke" -> "A$$Lambda.invoke",
    "java.lang.invoke.LambdaForm$DMH+0x00007fcae014e800.1176968662.invokeStatic" ->
      "java.lang.invoke.LambdaForm$DMH.invokeStatic",
    "jdk.internal.reflect.GeneratedMethodAccessor7.invoke" -> "jdk.internal.reflect.GeneratedMethodAccessor.invoke",
    "jdk.proxy2.$Proxy26.compare" -> "jdk.proxy.$Proxy.compare",
    "liblz4-java-9223372036854.so.LZ4_decompress" -> "liblz4-java.so.LZ4_decompress",
    "libzstd-jni-1.5.6-49223372036854.so.ZSTD_compress" -> "libzstd-jni-1.5.6.so.ZSTD_compress",
    "snappy-1.1.10-0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f-libsnappyjava.so.f" -> "snappy-1.1.10-libsnappyjava.so.f",
    // Whose numbers are their names'.
    "java.lang.invoke.InnerClassLambdaMetafactory$1.run" -> "java.lang.invoke.InnerClassLambdaMetafactory$1.run",
    "A.lambda$main$0" -> "A.lambda$main$0",
    "B.apply$mcVI$sp" -> "B.apply$mcVI$sp"
  ).foreach { case (name, plain) => assertEquals(plain, Recording.ofEveryRun(name)) }

  @Test def aTaskMayBeInSeveralPieces(@TempDir scratch: Path): Unit = {
    val mark = new TaskMark
    mark.stage = 4
    val recording = new PiecewiseRecording(scratch)
    val samples = Seq.newBuilder[Int]
    var n = 0
    def piece(bytes: Array[Byte]): Path = {
      n += 1
      val file = Files.write(scratch.resolve(s"$n.piece"), bytes)
      samples += lines(file).filter(_.has("of_stack")).map(_.path("n").asInt).sum
      file
    }
    val files = Seq.newBuilder[Path]
    onAThread("a task's") {
      mark.begin()
      burn()
      files += piece(recording.next())
      burn()
      mark.commit()
    }
    files += piece(recording.end())
    val found = lines(files.result(): _*).filter(_.has("of_stack"))
    assertEquals(samples.result().sum, found.map(_.path("n").asInt).sum, "each piece is read once")
    val marked = found.filter(_.path("stage").asInt(-1) == 4)
    assertTrue(marked.map(_.path("at_ms").asLong).distinct.size > 1, s"$found")
    assertTrue(Using.resource(Files.list(scratch))(_.iterator.asScala.forall(_.toString.endsWith(".piece"))))
  }

  @Test def whatJavaWroteAtItsEndIsTheLastPiece(@TempDir scratch: Path): Unit = {
    val recording = new PiecewiseRecording(scratch)
    onAThread("a task's")(burn())
    // As Java's own hook does, which may be there first.
    FlightRecorder.getFlightRecorder.getRecordings.forEach(own =>
      if (own.getDestination.startsWith(scratch)) own.stop())
    val file = Files.write(scratch.resolve("1.piece"), recording.end())
    assertTrue(lines(file).exists(_.has("of_stack")))
    assertTrue(Using.resource(Files.list(scratch))(_.iterator.asScala.toSeq == Seq(file)))
  }

  @Test def whatIsNoRecordingIsSaid(@TempDir scratch: Path): Unit = {
    val file = Files.writeString(scratch.resolve("b.jfr"), "no recording")
    assertFalse(new Recording(System.out).write("7", Seq(file).asJava))
  }
}
