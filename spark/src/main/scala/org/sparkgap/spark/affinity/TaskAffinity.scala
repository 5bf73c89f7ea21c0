// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.affinity

import java.nio.file.Path
import java.util.concurrent.ForkJoinPool

import scala.util.control.NonFatal

import com.codahale.metrics.{Gauge, MetricRegistry}
import org.apache.spark.{SparkConf, SparkEnv}
import org.slf4j.LoggerFactory
import org.sparkgap.spark.application.{Conf, ExecutorPart, JvmFlags, SparkCores}
import org.sparkgap.topology.{AffinityLevel, Bitmap, CpuDemand, CpuSet, CpuShare, Hwloc, ProcessLimits, Topology}

/**
 * Pins task threads to processors of their own, if `spark.sparkgap.topology.affinity` is set. The executor claims them
 * at its start and releases them at its end.
 *
 * If anything is missing for it, the threads stay unpinned and the log says so once; no task fails.
 */
private[spark] final class TaskAffinity extends AutoCloseable {
  import TaskAffinity._

  @volatile private var threads: Option[TaskThreads] = None
  @volatile private var level = AffinityLevel.NONE
  private var share: Option[CpuShare] = None
  private var watch: Option[LateThreads] = None

  /** Called by a thread that is not pinned, before the first task. */
  def start(conf: SparkConf, metrics: MetricRegistry): Unit = synchronized {
    close()
    val wanted = Conf.of(conf).affinity
    level = wanted
    if (wanted != AffinityLevel.NONE) {
      // The JVM sizes it by the mask of the first thread that asks for it.
      ForkJoinPool.commonPool()
      try begin(wanted, SparkCores.tasksAtOnce(conf), Conf.of(conf).lockDir)
      catch { case e @ (NonFatal(_) | _: LinkageError) => unpinned(Option(e.getMessage).getOrElse(e.toString)) }
    }
    register(metrics)
  }

  override def close(): Unit = synchronized {
    threads = None
    watch.foreach(_.close())
    share.foreach(_.close())
    watch = None
    share = None
  }

  /**
   * Processors for ranks that this process starts: a part of those of its task threads, if these are pinned, else free
   * ones.
   */
  def claim(folder: Path, demand: CpuDemand): CpuShare = {
    Hwloc.problem().ifPresent(why => throw new IllegalStateException(why))
    synchronized(share).fold(CpuShare.claim(machine, home.and(machine.allowedCpuset), folder, demand))(_.part(machine,
        demand))
  }

  /** The number of NUMA nodes that ranks of this process may use. */
  def nodes: Int = ProcessLimits.numaNodes(
    synchronized(share).fold(ProcessLimits.read().allowedCpus)(own => CpuSet.parse(own.cpuset.toList)))

  /** The calling thread's task begins. */
  def begin(): Unit = threads.foreach(_.begin())

  /** For example `core: 0-1 2-3`, or why no thread is pinned. */
  def map: String = level.toString.toLowerCase + threads.fold(if (level == AffinityLevel.NONE) "" else ": unpinned")(
    t => s": ${t.places.map(_.toList).mkString(" ")}")

  private def begin(wanted: AffinityLevel, tasks: Int, folder: Path): Unit = {
    Hwloc.problem().ifPresent(why => throw new IllegalStateException(why))
    val usable = home.and(machine.allowedCpuset)
    val claimed = CpuShare.claim(machine, usable, folder, tasks, wanted)
    if (claimed.places.isEmpty) {
      unpinned(
        s"affinity: expected processors for $tasks tasks at once at level ${wanted.toString.toLowerCase}, found " +
          s"${claimed.wasFree.toList} free of ${usable.toList}. " +
          "Do give executors fewer cores, or start fewer here")
    } else if (!UnpinnedPython.install(SparkEnv.get, () => lift())) {
      claimed.close()
      unpinned(
        "affinity: expected to see Spark ask for Python workers, which would inherit a task's mask, found another " +
          s"inside in Spark ${org.apache.spark.SPARK_VERSION}. Do use Spark 4.3")
    } else {
      val made = new TaskThreads(machine, claimed, home, wanted)
      share = Some(claimed)
      watch = Some(new LateThreads(machine, made))
      threads = Some(made)
      log.info(s"affinity: task threads at level $map")
      if (wanted == AffinityLevel.NUMA && made.places.distinct.size > 1 && !JvmFlags.useNuma) {
        log.warn(
          "affinity: expected -XX:+UseNUMA, without which the heap lies where the collector has touched it first, " +
            "found it off. Do set it in spark.executor.extraJavaOptions")
      }
    }
  }

  private def unpinned(why: String): Unit = log.warn(s"${why.stripSuffix(".")}. Task threads stay unpinned.")

  private def register(metrics: MetricRegistry): Unit = {
    // Of a type that is known: Spark's page of metrics in JSON cannot tell that of a type parameter, and shows nothing.
    def gauge(name: String)(value: => Any): Unit = {
      metrics.remove(name)
      metrics.register(name, new Gauge[Any] { override def getValue: Any = value }): Unit
    }
    gauge("affinity.map")(map)
    gauge("affinity.processors")(synchronized(share).fold(0)(_.cpuset.weight))
    gauge("affinity.pinnedTasks")(threads.fold(0L)(_.pinned))
    gauge("affinity.unpinnedTasks")(threads.fold(0L)(_.unpinned))
  }
}

private[spark] object TaskAffinity extends ExecutorPart(new TaskAffinity) {
  private val log = LoggerFactory.getLogger("sparkgap")

  /** Loaded once, and kept: tasks may end after their executor has. */
  private lazy val machine = Topology.load()

  /** The calling thread's task has ended, or is about to start a process, which would inherit its mask. */
  def lift(): Unit = TaskThreads.lift()

  /** The mask of the calling thread as the kernel has it. */
  def ofThisThread: String = ProcessLimits.ofThisThread().toString

  /** The CPU mask that this process was started with. */
  private def home: Bitmap = Bitmap.parseList(ProcessLimits.read().allowedCpus.toString)
}
