// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.affinity

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}
import java.util.concurrent.CountDownLatch
import javax.management.ObjectName

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import org.apache.spark.sql.SparkSession
import org.junit.jupiter.api.Assertions.{assertEquals, assertThrows, assertTrue}
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import org.sparkgap.spark.LocalSpark
import org.sparkgap.spark.application.Conf
import org.sparkgap.topology.{AffinityLevel, CpuSet, MemoryPolicy, ProcessLimits, Topology}

/**
 * Real tasks on this machine, each asked for its mask and its time; what a set must be is read from /sys, not from
 * hwloc.
 */
class AffinityTest {
  import AffinityTest._

  @TempDir var scratch: Path = _
  private val all = ProcessLimits.read().allowedCpus

  private def during[T](level: String, settings: (String, String)*)(body: SparkSession => T): T = {
    val spark = LocalSpark.start(
      scratch.resolve("store"),
      Seq(
        Conf.Affinity.key -> level,
        Conf.LockDir.key -> scratch.resolve("cpus").toString,
        "spark.metrics.conf.*.sink.jmx.class" -> "org.apache.spark.metrics.sink.JmxSink"
      ) ++ settings: _*
    )
    try body(spark)
    finally spark.stop()
  }

  /** On which all tasks of a level may be found, this machine having at least two cores. */
  private def isPlace(level: String, mask: CpuSet): Boolean = {
    val first = mask.cpus.get(0)
    def together(file: Int => String): Boolean = mask.cpus.asScala.map(cpu => sys(file(cpu))).distinct.size == 1
    all.cpus.containsAll(mask.cpus) && (level match {
      case "pu" => mask.size == 1
      case "core" => mask.cpus.asScala.toSet == CpuSet.parse(
          sys(s"cpu/cpu$first/topology/thread_siblings_list")).cpus.asScala.toSet.intersect(all.cpus.asScala.toSet)
      case "cpu" => together(cpu => s"cpu/cpu$cpu/topology/physical_package_id")
      case "numa" => nodes.exists(_.cpus.containsAll(mask.cpus))
    })
  }

  @Test def everyTaskIsOnItsSetAndNoThreadStaysThere(): Unit =
    for (level <- Seq("cpu", "core", "pu", "numa")) during(level) { spark =>
      val context = spark.sparkContext
      val found = context.parallelize(0 until Tasks, Tasks).map { i =>
        val start = System.nanoTime()
        val sum = (0 to i).map(_.toLong).sum
        Task(sum, TaskAffinity.ofThisThread, start, System.nanoTime())
      }.collect()
      assertEquals(Seq.tabulate(Tasks)(i => i.toLong * (i + 1) / 2), found.map(_.sum).toSeq, "results are right")
      val places = found.groupBy(_.mask).map { case (mask, tasks) => CpuSet.parse(mask) -> tasks.sortBy(_.start) }
      places.keys.foreach(mask => assertTrue(isPlace(level, mask), s"$level: $mask"))
      if (level == "pu" || level == "core") {
        assertEquals(2, places.size)
        places.foreach { case (mask, tasks) =>
          assertTrue(tasks.sliding(2).forall(two => two(0).end <= two(1).start), s"two at once on $mask")
        }
      }
      assertEquals((s"$level: ", Tasks.toLong, 0L),
        (metric("map").toString.take(level.length + 2), metric("pinnedTasks"), metric("unpinnedTasks")))
      assertEquals(places.keys.flatMap(_.cpus.asScala).toSet.size, metric("processors"))

      // Tasks that fail, and threads that tasks start.
      assertThrows(classOf[Exception],
        () =>
          context.parallelize(0 until 8, 8).foreach(i => if (i % 2 == 1) throw new IllegalStateException("on purpose")))
      val born = context.parallelize(0 until 2, 2).map { _ =>
        val thread = new Thread(() => Never.await())
        thread.setDaemon(true)
        thread.start()
        TaskAffinity.ofThisThread
      }.collect()
      born.foreach(mask => assertTrue(isPlace(level, CpuSet.parse(mask)), mask))
      if (level == "numa") memoryGoesWithItsNode(spark)
      if (level == "pu") whatTasksForkHasTheWholeMaskOnceLifted(spark)
      noThreadIsPinned(level)
    }

  private def memoryGoesWithItsNode(spark: SparkSession): Unit = {
    val policies = spark.sparkContext.parallelize(0 until 8, 8).map { _ =>
      val bound = machine.memoryBinding.thread.policy
      TaskAffinity.lift()
      (bound, machine.memoryBinding.thread.policy)
    }.collect().toSet
    assertEquals(Set((MemoryPolicy.BIND, MemoryPolicy.FIRST_TOUCH)), policies)
  }

  private def whatTasksForkHasTheWholeMaskOnceLifted(spark: SparkSession): Unit = {
    val found = spark.sparkContext.parallelize(0 until 4, 4).map { _ =>
      val before = TaskAffinity.ofThisThread
      TaskAffinity.lift()
      val child = new ProcessBuilder("grep", "Cpus_allowed_list:", "/proc/self/status").start()
      (before, child.inputReader().readLine().split("\\s+")(1))
    }.collect()
    assertEquals(Set(all.toString), found.map(_._2).toSet)
    assertTrue(found.forall(pair => CpuSet.parse(pair._1).size == 1))
  }

  @Test def tooFewCoresLeaveThreadsUnpinned(): Unit = {
    during("core", "spark.master" -> s"local[${all.size + 1}]") { spark =>
      val masks = spark.sparkContext.parallelize(0 until 10, 10).map(_ => TaskAffinity.ofThisThread).collect().toSet
      assertEquals(Set(all.toString), masks)
      assertEquals(("core: unpinned", 0), (metric("map"), metric("processors")))
    }
    during("none")(spark =>
      assertEquals(("none", 0L), { spark.range(10).count(); (metric("map"), metric("pinnedTasks")) }))
  }

  /** Root alone can make one to look at; that it is refused is tested in topology. */
  @Test def aLockFolderOfSomebodyElseLeavesAllUnpinned(): Unit = {
    LocalSpark.requireThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0, "root")
    val folder = Files.createDirectory(scratch.resolve("theirs"))
    Files.setAttribute(folder, "unix:uid", 65534)
    during("core", Conf.LockDir.key -> folder.toString) { spark =>
      assertEquals(Set(all.toString),
        spark.sparkContext.parallelize(0 until 4, 4).map(_ => TaskAffinity.ofThisThread).collect().toSet)
      assertEquals("core: unpinned", metric("map"))
      val why = Using.resource(RankClaim.of(RankBinding(AffinityLevel.PU, apart = false), "job", 1, 1))(_.problem.get)
      assertTrue(
        why.startsWith(
          s"affinity of job: processors: expected $folder to be a folder of root or of user 0, found one of user " +
            "65534. Do let root make it") &&
          why.endsWith("Its ranks stay unpinned."),
        why
      )
    }
  }

  @Test def aWordThatIsNoLevelIsRefused(): Unit = {
    LocalSpark.refused(2, "spark.sparkgap.topology.affinity: expected none, cpu, core, pu or numa, found 'socket'")(
      during("socket")(_ => ()))
    LocalSpark.refused(2, "spark.sparkgap.launch.affinity: expected none, cpu, core, pu or numa, found 'cores'")(
      during("none", Conf.RankAffinity.key -> "cores")(_ => ()))
  }

  @Test def ranksDivideWhatTasksHaveAndElseWhatIsFree(): Unit = for (tasks <- Seq("pu", "none")) during(tasks) { _ =>
    def claim(ranks: Int, level: AffinityLevel = AffinityLevel.PU) =
      RankClaim.of(RankBinding(level, apart = false), "job", ranks, 1)
    val (first, second) = (claim(1), claim(1))
    val sets = Seq(first, second).flatMap(_.lists)
    assertEquals((2, 2, Seq(None, None)),
      (sets.distinct.size, CpuSet.parse(sets.mkString(",")).size, Seq(first, second).map(_.problem)))
    val third = claim(all.size)
    assertEquals(Seq.fill(all.size)(null), third.lists)
    val found = if (all.size == 2 || tasks == "pu") "none" else "[0-9,-]+"
    val line =
      s"affinity of job: expected processors for ${all.size} x 1 threads at level pu, found $found free\\. Do ask " +
        "for fewer, or wait for other jobs to end\\. Its ranks stay unpinned\\."
    assertTrue(third.problem.get.matches(line), third.problem.get)
    Seq(second, first, third).foreach(_.close())
    Using.resource(claim(2))(again => assertEquals((sets.sorted, None), (again.lists.sorted, again.problem)))
    assertEquals((Seq(null), None), { val none = claim(1, AffinityLevel.NONE); (none.lists, none.problem) })
  }

  private def noThreadIsPinned(level: String): Unit = {
    def masks = Using.resource(Files.list(Path.of("/proc/self/task")))(_.iterator.asScala.toSeq)
      .flatMap(thread =>
        Try(Files.readAllLines(thread.resolve("status")).asScala.find(_.startsWith("Cpus_allowed_list:")).get.split(
            "\\s+")(1)).toOption)
    val end = System.nanoTime() + 10000000000L
    while (masks.exists(_ != all.toString) && System.nanoTime() < end) Thread.sleep(20)
    assertEquals(Set(all.toString), masks.toSet, level)
  }
}

object AffinityTest {
  private val Tasks = 1000
  private lazy val machine = Topology.load()
  private val Never = new CountDownLatch(1)

  final case class Task(sum: Long, mask: String, start: Long, end: Long)

  private def sys(file: String): String = Files.readString(Path.of("/sys/devices/system", file)).strip

  private def nodes: Seq[CpuSet] =
    Using.resource(Files.newDirectoryStream(Path.of("/sys/devices/system/node"), "node[0-9]*"))(
      _.asScala.map(n => CpuSet.parse(Files.readString(n.resolve("cpulist")))).toSeq)

  /** As Spark's JMX sink shows it. */
  private def metric(name: String): Any = {
    val server = ManagementFactory.getPlatformMBeanServer
    val found = server.queryNames(new ObjectName(s"metrics:name=*.SparkGapPlugin.affinity.$name,*"), null).asScala
    server.getAttribute(found.head, "Value")
  }
}
