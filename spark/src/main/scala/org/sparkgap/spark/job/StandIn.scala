// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import scala.concurrent.ExecutionContext
import scala.util.Failure

import org.apache.spark.{SimpleFutureAction, SparkContext, SparkEnv, TaskContext}
import org.sparkgap.launch.{JobRun, RunningJob}
import org.sparkgap.spark.application.{DriverLink, LocalHost}

/**
 * A Spark job of one task that stands for ranks which the driver itself has started: whoever cancels it, in whichever way Spark has, ends them.
 *
 * Ctrl-C, cancelJobGroup, interruptTag, interruptAll and the pages' "kill" all end jobs of Spark; without one there would be nothing for them to end. Its
 * task takes one of Spark's slots until the ranks have ended, and the ranks do not wait for it.
 */
private[spark] object StandIn {
  def during[T](context: SparkContext, key: String, running: RunningJob)(body: => T): T = {
    val name = s"stand-in-$key"
    val state = new State(running)
    AgentAnswers().put(name, _ => if (state.isOver) AgentAnswer.Stop else AgentAnswer.Go)
    val job = ShownCall.ofRanks(context, running)(submit(context, name))
    job.onComplete {
      case Failure(e) if JobAgents.isCancelled(e) => state.cancel()
      case _ =>
    }(ExecutionContext.global)
    try body
    catch { case _: Exception if state.isCancelled => throw JobRun.cancelled(key, running.kernel) }
    finally {
      state.end()
      AgentAnswers().forget(name)
    }
  }

  private def submit(context: SparkContext, name: String): SimpleFutureAction[Unit] = {
    val one = new ExecutorRDD(context, Seq(LocalHost.name))
    context.submitJob[Int, Unit, Unit](one, new StandInTask(name), Seq(0), (_, _) => (), ())
  }

  private final class State(running: RunningJob) {
    private var over = false
    private var cancelled = false

    def isOver: Boolean = synchronized(over)

    def isCancelled: Boolean = synchronized(cancelled)

    /** Interrupts the call's thread, but never when it does something else already. */
    def cancel(): Unit = synchronized {
      if (!over) {
        cancelled = true
        running.cancel()
      }
    }

    /** On the call's thread. */
    def end(): Unit = synchronized {
      over = true
      if (cancelled) Thread.interrupted()
    }
  }
}

/** Waits for the end of the ranks, or its own. */
private[spark] final class StandInTask(name: String) extends (Iterator[Int] => Unit) with Serializable {
  override def apply(ignored: Iterator[Int]): Unit = {
    val context = TaskContext.get()
    val here = SparkEnv.get.executorId == "driver"
    val word = AgentMessage.Word(name, "", null)
    def answer(): AnyRef = if (here) AgentAnswers().receive(word) else DriverLink().ask(word)
    while (!context.isInterrupted() && answer() == AgentAnswer.Go) Thread.sleep(StandInTask.LookMillis)
  }
}

private[spark] object StandInTask {
  private val LookMillis = 20L
}
