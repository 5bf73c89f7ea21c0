// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.kernel

import scala.collection.immutable.ListMap

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.sparkgap.spark.memory.JobMemory

class CallReportTest {
  // More than four names: small maps keep an order by chance.
  private val names =
    Seq("log_prior", "vocabulary", "objective", "topic_concentration", "doc_concentration", "training_cost", "classes")

  @Test def everyFigureStandsByItsName(): Unit = {
    val numbers = names.zipWithIndex.map { case (name, i) => name -> i.toDouble }
    val report = CallReport(
      "t",
      "lda",
      "native",
      Some(1),
      1,
      None,
      converged = Some(true),
      None,
      1,
      1,
      0,
      ListMap(numbers: _*),
      0,
      0,
      0,
      JobMemory.Source.Nobody,
      numbers.map { case (name, number) => name -> Array(number) }.toMap
    )
    val row = report.row
    val phases = row.getMap(CallReport.Schema.fieldIndex("phases"))
    val figures = row.getMap(CallReport.Schema.fieldIndex("figures"))
    assertEquals(numbers.toMap,
      names.indices.map(i => phases.keyArray().getUTF8String(i).toString -> phases.valueArray().getDouble(i)).toMap)
    assertEquals(numbers.toMap,
      names.indices.map(i =>
        figures.keyArray().getUTF8String(i).toString -> figures.valueArray().getArray(i).getDouble(0)).toMap)
  }
}
