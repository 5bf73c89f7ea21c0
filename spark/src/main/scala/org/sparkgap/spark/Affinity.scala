// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import org.sparkgap.spark.affinity.TaskAffinity

/** What SQL may ask about a task's thread. */
object Affinity {

  /**
   * The mask of the calling thread as the kernel has it: `SELECT reflect('org.sparkgap.spark.Affinity',
   * 'ofThisThread')` asks on the executors.
   */
  def ofThisThread: String = TaskAffinity.ofThisThread
}
