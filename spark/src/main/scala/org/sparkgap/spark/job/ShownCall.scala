// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.util.control.NonFatal

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.classic.Dataset
import org.apache.spark.sql.execution.{SQLExecution, SparkPlanInfo}
import org.slf4j.LoggerFactory
import org.sparkgap.launch.RunningJob
import org.sparkgap.spark.application.{CallMetrics, ListenerBus, SparkVersions}

/**
 * A call as one query of Spark's UI, with its progress as the description: "pagerank: compute, iteration 12 of 20, 3
 * ranks on 3 hosts".
 *
 * The Spark jobs of its body belong to that query, and so have the session's tags: interruptTag and interruptAll reach
 * them. Spark sets a query's description once, with the event of its start, and has no public call to change it.
 * Posting the same event with another description changes it, in the UI and in the history. That is done only for long
 * calls.
 */
private[spark] object ShownCall {
  private val PeriodMillis = 2000L
  private val Description = "spark.job.description"
  private val tags = new ThreadLocal[Set[String]]
  private val log = LoggerFactory.getLogger("sparkgap")

  def during[T](session: SparkSession, running: RunningJob)(body: => T): T = CallMetrics().during {
    val context = session.sparkContext
    val title = (Option(context.getLocalProperty(Description)) ++ Some(running.kernel)).mkString(": ")
    // The query itself does nothing: the body does the work.
    val query = session.emptyDataFrame.asInstanceOf[Dataset[_]].queryExecution
    described(context, title) {
      SQLExecution.withNewExecutionId(query) {
        val updates = new Updates(context, title, running)
        tags.set(context.getJobTags())
        try body
        finally {
          tags.remove()
          updates.close()
        }
      }
    }
  }

  /**
   * Sets the session's tags again for jobs of the body: a nested query, such as an export, removes them at its end.
   */
  def ofRanks[T](context: SparkContext, running: RunningJob)(body: => T): T =
    described(context,
      s"${Option(context.getLocalProperty(Description)).getOrElse(running.kernel)}: ${running.place}") {
      val lost = Option(tags.get).getOrElse(Set.empty) -- context.getJobTags()
      lost.foreach(context.addJobTag)
      try body
      finally lost.foreach(context.removeJobTag)
    }

  private def described[T](context: SparkContext, text: String)(body: => T): T = {
    val before = context.getLocalProperty(Description)
    context.setLocalProperty(Description, text)
    try body
    finally context.setLocalProperty(Description, before)
  }

  /** Updates the description every two seconds, if it has changed. */
  private final class Updates(context: SparkContext, title: String, running: RunningJob)
      extends Thread("sparkgap-progress") with AutoCloseable {
    private val id = context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY).toLong
    private val root = Option(context.getLocalProperty(SQLExecution.EXECUTION_ROOT_ID_KEY)).map(_.toLong)
    private val tags = context.getJobTags()
    private val begin = System.currentTimeMillis()
    private val over = new CountDownLatch(1)
    private var said = title
    private var ended = false
    setDaemon(true)
    start()

    override def run(): Unit =
      try while (!over.await(PeriodMillis, TimeUnit.MILLISECONDS))
          synchronized(if (!ended) say(s"$title: ${running.text}"))
      catch {
        // The event's fields differ between versions of Spark 4. If they are missing, the first description stays.
        case e @ (NonFatal(_) | _: LinkageError) => log.debug("no progress in Spark's pages", e)
      }

    private def say(text: String): Unit = if (text != said) {
      val plan = new SparkPlanInfo(running.kernel, text, Seq.empty, Map.empty, Seq.empty)
      ListenerBus.post(context, SparkVersions.started(id, root.map(Long.box), text, plan, begin, tags))
      said = text
    }

    override def close(): Unit = {
      over.countDown()
      synchronized {
        ended = true
        if (said != title) say(s"$title: ${running.place}")
      }
    }
  }
}
