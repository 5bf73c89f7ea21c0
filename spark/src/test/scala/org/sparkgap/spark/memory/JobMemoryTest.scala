// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.memory

import java.nio.file.Path
import java.util.concurrent.atomic.AtomicReference

import scala.util.Using

import org.apache.spark.sql.{Row, SparkSession}
import org.junit.jupiter.api.{AfterAll, AfterEach, BeforeAll, Test, TestInstance}
import org.junit.jupiter.api.Assertions.{assertEquals, assertFalse, assertTrue}
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.io.TempDir
import org.sparkgap.spark.LocalSpark
import org.sparkgap.spark.application.Conf
import org.sparkgap.spark.memory.JobMemory.Source
import org.sparkgap.spark.LocalSpark.refused

/**
 * Memory of jobs from Spark's real pool of 256 MB: taken, given back however the job ends, waited for no longer than
 * its deadline.
 */
@TestInstance(Lifecycle.PER_CLASS)
class JobMemoryTest {
  private val Pool = 256L << 20
  private val Part = 100L << 20
  private var spark: SparkSession = _

  @BeforeAll def start(@TempDir scratch: Path): Unit = {
    LocalSpark.requireKernels()
    spark = LocalSpark.start(scratch.resolve("store"), "spark.memory.offHeap.enabled" -> "true",
      "spark.memory.offHeap.size" -> "256m")
    spark.range(1000).selectExpr("id src", "id * 7 % 1000 dst").createOrReplaceTempView("edges")
  }

  @AfterAll def stop(): Unit = if (spark != null) spark.stop()

  @AfterEach def nothingIsHeld(): Unit = assertEquals(0, SparkPool.usedBytes)

  private def untilItWaits(thread: Thread): Unit =
    while (!Set(Thread.State.TIMED_WAITING, Thread.State.WAITING, Thread.State.TERMINATED).contains(thread.getState))
      Thread.onSpinWait()

  private def call(sql: String): Row = spark.sql(s"CALL sparkgap.graph.$sql").head()

  private def job(bytes: Long)(body: JobMemory => Unit): Unit = {
    val memory = new JobMemory("a test", "here", bytes)
    try body(memory)
    finally memory.close()
  }

  @Test def itIsTakenAndGivenBack(): Unit = {
    job(Part) { memory =>
      assertTrue(memory.take())
      assertEquals((Source.Spark, Part), (memory.from, SparkPool.usedBytes))
      job(Part) { second =>
        assertTrue(second.take())
        assertEquals((Source.Spark, 2 * Part), (second.from, SparkPool.usedBytes))
      }
      assertEquals(Part, SparkPool.usedBytes)
      memory.close()
      memory.close()
    }
    job(0) { nothing =>
      assertTrue(nothing.take())
      assertEquals(Source.Nobody, nothing.from)
    }
  }

  @Test def theHostGivesWhatThePoolDoesNotHave(): Unit = job(Pool + Part) { memory =>
    assertTrue(memory.take())
    assertEquals((Source.Both, Pool), (memory.from, SparkPool.usedBytes))
  }

  @Test def moreThanTheHostHasIsRefused(): Unit = job(1L << 50) { memory =>
    val error = refused(4, s"memory of a test: expected ${1L << 50} bytes for its ranks on here, found ")(memory.take())
    assertTrue(error.text.contains(s" free, of Spark's off-heap pool $Pool. Do unpersist tables"), error.text)
  }

  @Test def moreThanAContainerOfYarnHasIsRefused(): Unit = {
    val free = new YarnContainer(0).freeBytes
    assertTrue(free < 0, "this JVM, and the heap that it may still take")

    def inside(room: Long, mapped: Long)(body: JobMemory => Unit): Unit =
      Using.resource(new JobMemory("a test", "here", Part, mapped, Some(new YarnContainer(room - free))))(body)
    inside(4 * Part, 2 * Part)(memory => assertTrue(memory.take()))
    for ((room, mapped) <- Seq((Part / 2, 0L), (4 * Part, 5 * Part))) inside(room, mapped) { memory =>
      val error =
        refused(4, s"memory of a test: expected $Part bytes for its ranks and $mapped for the rows that they")(
          memory.take())
      assertTrue(error.text.contains("in a container of YARN on here, found "), error.text)
      assertTrue(error.text.contains("Do raise spark.executor.memoryOverhead"), error.text)
    }
  }

  @Test def whoWaitsForOthersHasADeadline(): Unit = {
    val task = new SparkPool
    assertEquals(Pool, task.acquire(Pool))
    try job(Part) { memory =>
        assertTrue(memory.take())
        assertEquals((Source.Host, Pool), (memory.from, SparkPool.usedBytes))
        assertTrue(memory.seconds >= 2, memory.seconds.toString)
      }
    finally task.release()
  }

  @Test def whatOthersGiveBackInTimeIsTaken(): Unit = {
    val task = new SparkPool
    task.acquire(Pool)
    val waiting = Thread.currentThread
    val later = new Thread(() => { untilItWaits(waiting); task.release() })
    later.start()
    job(Part) { memory =>
      assertTrue(memory.take())
      assertEquals(Source.Spark, memory.from)
      later.join()
    }
  }

  @Test def whoNeedNotWaitAnyLongerHoldsNothing(): Unit = {
    val task = new SparkPool
    task.acquire(Pool)
    try {
      for (_ <- 1 to 20) job(Part)(memory => assertFalse(memory.take(() => false)))
      job(Part) { memory =>
        val found = new AtomicReference[Throwable]
        val waiting = new Thread(() =>
          try memory.take(): Unit
          catch { case e: Throwable => found.set(e) })
        waiting.start()
        untilItWaits(waiting)
        waiting.interrupt()
        waiting.join(5000)
        assertEquals(classOf[InterruptedException], found.get.getClass)
      }
      assertEquals(Pool, SparkPool.usedBytes)
    } finally task.release()
    job(Pool)(memory =>
      assertTrue(memory.take() && memory.from == Source.Spark, "who gave up does not count among those that share"))
  }

  @Test def callsTellWhoGaveTheirMemory(): Unit = {
    val row = call("pagerank('edges')")
    assertEquals("spark", row.getAs[String]("memory_from"))
    assertTrue(row.getAs[Long]("memory_bytes") > row.getAs[Long]("peak_rss_bytes") - row.getAs[Long]("bytes_copied"),
      row.toString)
    try {
      spark.conf.set(Conf.JobMemoryBytes.key, (Pool + Part).toString)
      val set = call("pagerank('edges')")
      assertEquals((Pool + Part, "spark and host"), (set.getAs[Long]("memory_bytes"), set.getAs[String]("memory_from")))
      spark.conf.set(Conf.JobMemoryBytes.key, "1000000g")
      refused(4, "memory of pagerank: expected ")(call("pagerank('edges')"))
      spark.conf.set(Conf.JobMemoryBytes.key, "0")
      assertEquals(null, call("pagerank('edges')").getAs[String]("memory_from"))
    } finally spark.conf.unset(Conf.JobMemoryBytes.key)
  }

  @Test def aJobHoldsItWhileItRunsAndNotWhenItHasFailed(): Unit = {
    val error = new AtomicReference[Throwable]
    spark.conf.set(Conf.JobMemoryBytes.key, Part.toString)

    /** Whether it was seen to hold memory before its deadline. */
    def held(deadline: Int): Boolean = {
      val running = new Thread(() =>
        try call(s"rmat(scale => 26, timeout_s => $deadline)"): Unit
        catch { case e: Throwable => error.set(e) })
      running.start()
      var most = 0L
      while (most == 0 && running.isAlive) most = SparkPool.usedBytes
      running.join()
      assertTrue(most == 0 || most == Part, most.toString)
      most == Part
    }
    try assertTrue(held(1) || held(2) || held(4))
    finally spark.conf.unset(Conf.JobMemoryBytes.key)
    refused(5, "timeout_s of rmat")(throw error.get)
    assertEquals(0, SparkPool.usedBytes)
    refused(3, "source_ids: expected an id that occurs in the graph")(
      call("pagerank('edges', source_ids => array(12345))"))
  }

  @Test def theDoctorKnowsThePool(): Unit = {
    val memory = spark.sql("CALL sparkgap.launch.doctor()").collect().find(_.getString(0) == "memory").get.getString(2)
    assertTrue(memory.endsWith(s", Spark's off-heap pool $Pool bytes, 0 held by tasks and jobs"), memory)
  }
}
