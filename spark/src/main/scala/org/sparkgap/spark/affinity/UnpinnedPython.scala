// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.affinity

import scala.annotation.nowarn
import scala.collection.mutable
import scala.util.Try

import org.apache.spark.SparkEnv

/**
 * Spark's own map of its Python workers, which tells when a task asks for one: `pyspark.daemon` and its workers are
 * forked by the task's thread, whose mask they would have for good.
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

  /** Whether this Spark has the map where it is looked for. */
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
