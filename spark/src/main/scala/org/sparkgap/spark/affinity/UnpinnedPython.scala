// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.affinity

import scala.annotation.nowarn
import scala.collection.mutable
import scala.util.Try

import org.apache.spark.SparkEnv

/**
 * Wraps Spark's map of Python workers, to notice when a task asks for one. The task's thread forks `pyspark.daemon` and
 * its workers, which would inherit its mask for good.
 *
 * Touches a private field of SparkEnv, `pythonWorkers`, because Spark offers no other moment between the start of a
 * task and that fork.
 */
@nowarn("cat=deprecation")
private[spark] final class UnpinnedPython(asked: () => Unit) extends mutable.HashMap[AnyRef, AnyRef] {
  override def getOrElseUpdate(key: AnyRef, made: => AnyRef): AnyRef = {
    asked()
    super.getOrElseUpdate(key, made)
  }
}

private[spark] object UnpinnedPython {

  /** Whether this Spark has the map in the expected field. */
  def install(env: SparkEnv, asked: () => Unit): Boolean = Try {
    val field = classOf[SparkEnv].getDeclaredField("pythonWorkers")
    field.setAccessible(true)
    env.synchronized {
      val map = new UnpinnedPython(asked)
      map ++= field.get(env).asInstanceOf[mutable.HashMap[AnyRef, AnyRef]]
      field.set(env, map)
    }
  }.isSuccess
}
