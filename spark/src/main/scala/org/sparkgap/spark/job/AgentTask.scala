// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import java.util.concurrent.{Callable, ExecutorService, Executors, Future, TimeUnit, TimeoutException}

import scala.util.Using
import scala.util.control.NonFatal

import org.apache.spark.{BarrierTaskContext, SparkEnv, TaskContext}
import org.sparkgap.launch.HostReport
import org.sparkgap.spark.affinity.TaskAffinity
import org.sparkgap.spark.application.{DriverLink, SparkGapError}
import org.sparkgap.spark.segments.Housekeeping
import org.sparkgap.store.SparkGapException

/**
 * The task that stands for an executor while a job runs: it is its host's agent, or only holds the executor's cores.
 *
 * @param together
 *   whether it is of a barrier stage, whose tasks start together
 * @param silenceNanos
 *   after this time without an answer from the driver, the ranks are killed: the driver counts this host as lost by
 *   then
 */
private[spark] final class AgentTask(
    work: HostWork, silenceNanos: Long, together: Boolean) extends (Iterator[Int] => Iterator[Unit]) with Serializable {
  import work.key

  override def apply(executor: Iterator[Int]): Iterator[Unit] = {
    TaskAffinity.lift() // ranks would inherit this thread's mask
    val context = if (together) AgentTask.barrier(key) else TaskContext.get()
    val me = SparkEnv.get.blockManager.blockManagerId
    Using.resource(new AgentTask.Line(context, silenceNanos)) { line =>
      var answer: AgentAnswer = AgentAnswer.Wait
      while (answer == AgentAnswer.Wait) {
        answer = line.ask(AgentMessage.Hello(key, me.host, me.executorId, context.taskAttemptId()))
        if (answer == AgentAnswer.Wait) Thread.sleep(AgentTask.WaitMillis)
      }
      answer match {
        case AgentAnswer.Lead(part) =>
          Housekeeping().start()
          try work.run(part, me.host, line)
          catch {
            case NonFatal(e) =>
              val ours = SparkGapError.find(e)
              line.hears(AgentMessage.Word(key, me.host,
                  HostReport.failed(ours.fold(SparkGapException.BUG)(_.code), ours.fold(e.toString)(_.text))))
          }
        case AgentAnswer.Hold => line.hold(key)
        case _ =>
      }
    }
    Iterator.empty
  }
}

private[spark] object AgentTask {
  private val WaitMillis = 3L
  private val HoldMillis = 20L
  private val LookMillis = 20L

  private def barrier(key: String): TaskContext = {
    val context = BarrierTaskContext.get()
    // After a loss Spark may run only some tasks of a stage again, and they would wait for the others for ever.
    if (context.getTaskInfos().length < context.numPartitions())
      throw new IllegalStateException(s"job $key: only some of its tasks were started")
    context
  }

  /**
   * Asks the driver on a thread of its own, because an ask without a driver blocks for minutes, and the task must be
   * able to end.
   */
  final class Line(context: TaskContext, silenceNanos: Long) extends ToDriver with AutoCloseable {
    private val isLocal = SparkEnv.get.executorId == "driver"
    private val asking: ExecutorService = Executors.newSingleThreadExecutor { run =>
      val thread = new Thread(run, "sparkgap-agent")
      thread.setDaemon(true)
      thread
    }

    /** Errors: code 5 if the driver does not answer, InterruptedException if the task must end. */
    override def ask(message: AgentMessage): AgentAnswer = {
      val answer: Future[AnyRef] = asking.submit(new Callable[AnyRef] {
        override def call(): AnyRef = if (isLocal) AgentAnswers().receive(message) else DriverLink().ask(message)
      })
      val end = System.nanoTime() + silenceNanos
      while (System.nanoTime() < end) {
        if (context.isInterrupted()) throw new InterruptedException("the task was killed")
        try return answer.get(LookMillis, TimeUnit.MILLISECONDS).asInstanceOf[AgentAnswer]
        catch { case _: TimeoutException => }
      }
      throw new SparkGapException(SparkGapException.LOST, "agent", "an answer of the driver",
        s"none within ${silenceNanos / 1000000000L} s", "Do look at the network between them")
    }

    /** Holds the task's cores until the job has ended. */
    def hold(key: String): Unit = while (hears(AgentMessage.Word(key, "", null))) Thread.sleep(HoldMillis)

    override def close(): Unit = asking.shutdownNow(): Unit
  }
}
