// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.formats

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.sparkgap.spark.LocalSpark.refused

class ArgumentTemplateTest {
  private val values = Map("inputs.a" -> "/in/$1", "outputs.b" -> "/out", "rank" -> "4", "ranks" -> "7")
  private val arguments = Seq("{inputs.a}", "--to={outputs.b}/{rank}.csv", "{{rank}} of {{{ranks}", "{outputs.b}",
    "{other} {rank", "{{outputs.b}}/x")

  @Test def placesAreFilledAndDoubledOnesMeanThemselves(): Unit =
    assertEquals(Seq("/in/$1", "--to=/out/4.csv", "{rank} of {{7", "/out", "{other} {rank", "{outputs.b}/x"),
      ArgumentTemplate.fill(arguments, values))

  @Test def whatIsNotThereIsRefused(): Unit =
    refused(2, "args[1]: expected places among {inputs.a}, {outputs.b}, {rank}, {ranks}, found {inputs.b}.")(
      ArgumentTemplate.fill(Seq("", "{inputs.b}"), values))

  @Test def placesAreFoundWithAndWithoutASlash(): Unit = {
    assertEquals(Set("inputs.a", "outputs.b", "rank", "ranks"), ArgumentTemplate.named(arguments))
    assertEquals(Set("outputs.b"), ArgumentTemplate.folders(arguments))
    assertEquals(Set.empty, ArgumentTemplate.folders(Seq("{{outputs.b}}/x", "{outputs.b}.csv")))
  }
}
