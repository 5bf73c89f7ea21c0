// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.job

import org.sparkgap.launch.{HostPart, HostReport}
import org.sparkgap.spark.memory.JobMemory

/** A message to the driver from a task that stands for an executor, through Spark's own authenticated channel. */
private[spark] sealed trait AgentMessage extends Serializable {

  /** The job and the attempt at it. */
  def key: String
}

private[spark] object AgentMessage {

  /** A task has started. */
  final case class Hello(key: String, host: String, executor: String, task: Long) extends AgentMessage

  /** The agent of a host fetches segments of other hosts before its part can start. */
  final case class Fetch(key: String, host: String, bytes: Long, seconds: Double) extends AgentMessage

  /** The agent of a host has looked at the rows there, to know what memory the job needs; `look` is JSON. */
  final case class Look(key: String, host: String, look: String) extends AgentMessage

  /** The agent of a host has asked for the memory of its ranks: who gave it, once it is granted. */
  final case class Memory(key: String, host: String, bytes: Long, from: JobMemory.Source, seconds: Double)
      extends AgentMessage

  /**
   * The agent of a host has claimed processors for its ranks: those of each rank, null if it runs on all; then
   * `problem` says why.
   */
  final case class Cpus(key: String, host: String, ofRanks: Seq[String], problem: Option[String]) extends AgentMessage

  /** The agent of a host has read the files that the ranks of a user's program wrote there. */
  final case class Took(key: String, host: String, taken: ProgramPlan.Taken) extends AgentMessage

  /** The agent of a host reports on its part; a task that only holds cores has no report. */
  final case class Word(key: String, host: String, report: HostReport) extends AgentMessage
}

/** The driver's answer. */
private[spark] sealed trait AgentAnswer extends Serializable

private[spark] object AgentAnswer {

  /** Ask again in a moment. */
  case object Wait extends AgentAnswer

  /** Be the agent of your host. */
  final case class Lead(part: HostPart) extends AgentAnswer

  /** Another task is your host's agent; hold your cores until the job ends. */
  case object Hold extends AgentAnswer

  /** What the agents of all hosts have seen of their rows. */
  final case class Looks(looks: Seq[String]) extends AgentAnswer

  /** Go on. */
  case object Go extends AgentAnswer

  /** The job is over, or has failed. */
  case object Stop extends AgentAnswer
}
