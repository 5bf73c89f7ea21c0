// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import java.util.concurrent.{ConcurrentHashMap, Semaphore}

import org.apache.spark.resource.{ResourceProfile, ResourceProfileBuilder, TaskResourceRequests}
import org.sparkgap.spark.application.DriverPart

/** In the driver: answers the tasks that stand for its jobs, by the jobs' keys. */
private[spark] final class AgentAnswers {
  private val answers = new ConcurrentHashMap[String, AgentMessage => AgentAnswer]

  /** Of the job that gathers its agents in a plain stage. */
  val turn = new Semaphore(1)

  private val profiles = new ConcurrentHashMap[Int, ResourceProfile]

  def receive(message: AgentMessage): AgentAnswer =
    Option(answers.get(message.key)).map(_(message)).getOrElse(AgentAnswer.Stop)

  def put(key: String, answer: AgentMessage => AgentAnswer): Unit = answers.put(key, answer)

  def forget(key: String): Unit = answers.remove(key)

  /**
   * The resource profile of tasks with that number of cores. Spark keeps every profile as long as the application
   * lives, so jobs share them.
   */
  def profile(cores: Int): ResourceProfile =
    profiles.computeIfAbsent(cores,
      n => new ResourceProfileBuilder().require(new TaskResourceRequests().cpus(n)).build())
}

private[spark] object AgentAnswers extends DriverPart(new AgentAnswers)
