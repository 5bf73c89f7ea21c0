// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.segments

import java.nio.file.{Files, Path}

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import org.sparkgap.spark.LocalSpark
import org.sparkgap.spark.LocalSpark.refused

class UnusableStoreTest {
  @Test def sparkGoesOnWithoutAStoreUntilItIsMended(@TempDir scratch: Path): Unit = {
    val store = Files.writeString(scratch.resolve("store"), "a file")
    val spark = LocalSpark.start(store)
    try {
      assertEquals(10, spark.range(10).count())
      refused(4, s"spark.sparkgap.store.dir $store: expected a folder, found something else")(
        spark.range(10).write.format("sparkgap").save("x"))
      refused(4, "expected a folder")(spark.sql("CALL sparkgap.graph.rmat(scale => 5)"))
      val doctor = spark.sql("CALL sparkgap.launch.doctor()").where("check = 'store'").head()
      assertEquals(false, doctor.getBoolean(1))
      Files.delete(store)
      spark.range(10).write.format("sparkgap").save("x")
      assertEquals(10, spark.table("sparkgap.store.x").count())
    } finally {
      spark.stop()
    }
  }
}
