// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import java.util.{List => JList}

import scala.util.Using

import org.apache.spark.{SparkContext, TaskContext}
import org.slf4j.LoggerFactory
import org.sparkgap.launch.{HostPart, HostReport, RunningJob}

/**
 * The agent of the driver's host if only that host has ranks: a thread of the driver, and one small Spark task that
 * stands for the ranks.
 *
 * The ranks do not wait for that task, which takes a slot until they have ended; where it fails otherwise than by being
 * cancelled, that means nothing.
 *
 * @param rendered
 *   called for inputs whose segments are no longer needed
 */
private[spark] final class OwnAgent(context: SparkContext, host: String, work: HostWork, silenceNanos: Long,
    running: RunningJob, rendered: String => Unit)
    extends JobAgents(context, work.key, Seq(host), running) {
  private var thread: Thread = _
  private var failure: Throwable = _

  private object driver extends ToDriver {
    override def ask(message: AgentMessage): AgentAnswer = {
      val answer = receive(message)
      message match {
        // Its clean-up kills every process of this job, including mpiexec, whose own end must be seen first.
        case AgentMessage.Word(_, _, report) if report.ended => untilOver()
        case _ =>
      }
      answer
    }
    override def isHere: Boolean = true
    override def begins(phase: String): Unit = running.phase(phase)
    override def rendered(input: String): Unit = OwnAgent.this.rendered(input)
  }

  override def gather(): Unit = ()

  /**
   * First the ranks, then the task that stands for them. The ranks get a thread of their own: a guard's life may be
   * tied to the thread that starts it, and the call's own thread may be interrupted at any time.
   */
  override def start(parts: JList[HostPart]): Unit = {
    thread = new Thread(() => lead(parts.get(0)), "sparkgap-agent")
    thread.setDaemon(true)
    thread.start()
    stand(context.submitJob[Int, Unit, Unit](new ExecutorRDD(context, Seq(host)),
        new StandInTask(work.key, silenceNanos), Seq(0), (_, _) => (), ()))
  }

  private def untilOver(): Unit = synchronized(while (!over) wait())

  private def lead(part: HostPart): Unit =
    try work.run(part, host, driver)
    catch {
      case e: Throwable => synchronized {
          if (over && !e.isInstanceOf[InterruptedException])
            OwnAgent.log.warn(s"job ${work.key} of ${part.program} had ended when its agent failed: $e")
          failure = e
          wake()
        }
    }

  override def report(only: Int): HostReport = synchronized(if (failure != null) throw failure else super.report(only))

  override protected def named(host: String, text: String): String = text

  override def silentSince(only: Int): Long = System.nanoTime()

  override def deserted(only: Int): Boolean = false

  override def lost(): String = null

  override protected def leave(): Unit = if (thread != null) {
    val ended = synchronized(failure == null && Option(super.report(0)).exists(_.ended))
    if (!ended) thread.interrupt() // whatever it waits for
    thread.join(OwnAgent.LeaveMillis)
    if (thread.isAlive) OwnAgent.log.warn(
      s"job ${work.key}: expected its agent to end within ${OwnAgent.LeaveMillis / 1000} s, found it running. Its " +
        "ranks end with it.")
  }
}

private[spark] object OwnAgent {

  /** Killing its ranks and removing their files takes a small part of that. */
  private val LeaveMillis = 60000L
  private val log = LoggerFactory.getLogger("sparkgap")
}

/** Takes a slot until the ranks have ended, or it is cancelled. */
private[spark] final class StandInTask(
    key: String, silenceNanos: Long) extends (Iterator[Int] => Unit) with Serializable {
  override def apply(ignored: Iterator[Int]): Unit =
    Using.resource(new AgentTask.Line(TaskContext.get(), silenceNanos))(_.hold(key))
}
