// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.cache

import java.nio.file.{Files, Path, StandardOpenOption}

import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.columnar.CachedBatch
import org.apache.spark.sql.functions.{col, udf}
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.columnar.DefaultCachedBatch
import org.apache.spark.sql.execution.{ColumnarToRowExec, WholeStageCodegenExec}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{IntegerType, LongType, StructField, StructType}
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.storage.StorageLevel
import org.junit.jupiter.api.{AfterAll, AfterEach, BeforeAll, Test, TestInstance}
import org.junit.jupiter.api.Assertions.{assertEquals, assertFalse, assertTrue}
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.io.TempDir
import org.sparkgap.spark.{AllTypes, LocalSpark}
import org.sparkgap.spark.application.Conf
import org.sparkgap.spark.export.Export
import org.sparkgap.spark.segments.{Homes, LocalSegments, OpenWrites, Tier}
import org.sparkgap.store.SparkGapException

/** df.cache() in the store: what comes back, where it lies, and when it goes. */
@TestInstance(Lifecycle.PER_CLASS)
class StoreCacheTest {
  private var store: Path = _
  private var disk: Path = _
  private var spark: SparkSession = _

  @BeforeAll def start(@TempDir scratch: Path): Unit = {
    store = scratch.resolve("store")
    disk = scratch.resolve("disk")
    spark = LocalSpark.start(store, Conf.DiskDir.key -> disk.toString, Conf.MemoryBytes.key -> "8m",
      Conf.SegmentBytes.key -> "1m", "spark.sql.adaptive.enabled" -> "false")
  }

  @AfterAll def stop(): Unit = {
    spark.stop()
    assertEquals(Seq.empty, files(store) ++ files(disk), "the homes go with the application")
  }

  @AfterEach def everyFileGoesWithItsTable(): Unit = {
    spark.catalog.clearCache()
    eventually("files of cached tables") { files(store) ++ files(disk) }
    eventually("mapped bytes")(Some(LocalSegments().mappedBytes).filter(_ > 0).toSeq)
  }

  private def files(of: Path): Seq[Path] = LocalSpark.filesUnder(of).filter(_.toString.contains("/segments/cache-"))

  /** Within the pause that `LocalSegments.tidy` keeps after a collection: 20 times what that took. */
  private def eventually(what: String)(left: => Seq[Any]): Unit = {
    val end = System.nanoTime() + 120000000000L
    while (left.nonEmpty && System.nanoTime() < end) Thread.sleep(50)
    assertEquals(Seq.empty, left, what)
  }

  private def bytes(of: Path): Long = files(of).filterNot(Files.isSymbolicLink).map(_.toFile.length).sum

  /** A table whose rows are counted as they are computed. */
  private def counted(n: Long, partitions: Int): (DataFrame, () => Long) = {
    val rows = spark.sparkContext.longAccumulator
    val passed = udf { id: Long => rows.add(1); id }.asNondeterministic()
    (spark.range(0, n, 1, partitions).select(passed(col("id")).as("id")), () => rows.value)
  }

  @Test def everyTypeUnderEveryLevel(): Unit = {
    import StorageLevel._
    val levels =
      Seq(MEMORY_AND_DISK, MEMORY_ONLY, MEMORY_ONLY_SER, MEMORY_AND_DISK_SER, DISK_ONLY, MEMORY_AND_DISK_2,
        MEMORY_ONLY_SER_2)
    for (n <- Seq(0L, 1L, 20000L)) {
      val data = AllTypes(spark, n)
      val (expected, some) = (AllTypes.sums(data), LocalSpark.rows(data.drop("raw").where("id < 50")))
      for (level <- if (n > 1) levels else Seq(MEMORY_AND_DISK, DISK_ONLY)) {
        data.persist(level)
        for (_ <- 1 to 2) {
          assertEquals(n, data.count(), level.toString)
          assertEquals(expected, AllTypes.sums(data), level.toString)
          assertEquals(some, LocalSpark.rows(data.drop("raw").where("id < 50")), level.toString)
        }
        assertEquals(n > 0 && level.useMemory, files(store).nonEmpty, level.toString)
        assertEquals(n > 0 && !level.useMemory, files(disk).nonEmpty, level.toString)
        data.unpersist(blocking = true)
        eventually(level.toString)(files(store) ++ files(disk))
      }
    }
  }

  @Test def rowsAreComputedOnceAndScansAreCompiled(): Unit = {
    val (data, computed) = counted(50000, 4)
    data.cache()
    assertEquals(50000, data.count())
    val sum = data.agg("id" -> "sum")
    assertEquals(1249975000L, sum.head().getLong(0))
    assertEquals(50000, computed())
    val plan = sum.queryExecution.executedPlan
    val scan = plan.collectFirst { case found: InMemoryTableScanExec => found }.get
    assertTrue(scan.supportsColumnar)
    assertTrue(
      plan.collect { case stage: WholeStageCodegenExec => stage }.exists(_.collectFirst {
        case rows: ColumnarToRowExec if rows.child.find(_ eq scan).isDefined => rows
      }.isDefined),
      plan.toString
    )
    spark.conf.set("spark.sql.inMemoryColumnarStorage.enableVectorizedReader", "false")
    try assertEquals(1249975000L, data.agg("id" -> "sum").head().getLong(0), "by rows")
    finally spark.conf.unset("spark.sql.inMemoryColumnarStorage.enableVectorizedReader")
  }

  /** 25 batches of 1 to 2 rows per predicate: what a filter leaves is right, and it leaves few. */
  @Test def batchesArePassedOver(): Unit = {
    val data = AllTypes(spark, 200000).withColumn("nan",
      org.apache.spark.sql.functions.expr("if(id % 3 = 0, double('NaN'), if(id % 3 = 1, -0.0D, id * 1.0D))"))
    val predicates = Seq(
      "id = 150000",
      "id >= 199990",
      "i64 = 150000L * 1000003",
      "f64 < 1",
      "f32 > 66000",
      "dec = 77.00",
      "big < 0",
      "day = date_from_unix_date(123456)",
      "ts >= timestamp_micros(199000 * 1000001L)",
      "ntz is null and id < 10",
      "text = 'ä77777'",
      "text like 'ä1999%'",
      "i8 = 99 and id < 100",
      "b and id = 2",
      "i16 in (29999)",
      "raw = cast('x5' as binary)",
      "nan > 1e300",
      "nan = 0.0",
      "nan < 0",
      "i32 is not null and id > 199998",
      "not (id < 199999)"
    )
    def left(predicate: String): Row = data.where(predicate).selectExpr("count(*)", "sum(id * id)").head()
    val expected = predicates.map(p => p -> left(p)).toMap
    data.cache().count()
    for (p <- predicates) assertEquals(expected(p), left(p), p)
    val narrow = spark.range(0, 400000, 1, 2).toDF("id").cache()
    assertEquals(8, narrow.count() / 50000)
    val found = narrow.where("id = 399999")
    assertEquals(1, found.count())
    val scan = found.queryExecution.executedPlan.collectFirst { case s: InMemoryTableScanExec => s }.get
    scan.resetMetrics()
    assertEquals(399999L, found.head().getLong(0))
    val read = scan.metrics("numOutputRows").value
    assertTrue(read <= 65536, s"$read rows were read for one")
  }

  @Test def whatHasNoRoomInMemoryGoesToDisk(): Unit = {
    val old = spark.range(0, 400000, 1, 2).selectExpr("id", "id * 2 twice").cache()
    assertEquals(400000, old.count())
    assertEquals(0, bytes(disk))
    val data = spark.range(0, 1500000, 1, 4).selectExpr("id", "id * 2 twice").cache()
    assertEquals(1500000, data.count())
    val batchOfATask = 65536 * 16 // taken by another task and not yet written when StoreRoom counted
    assertTrue(bytes(store) <= (8 << 20) + batchOfATask, s"${bytes(store)} bytes in memory")
    assertTrue(bytes(store) + bytes(disk) >= 1900000L * 16)
    assertTrue(files(store).exists(Files.isSymbolicLink), "the older table has moved")
    for (_ <- 1 to 2) {
      assertEquals(1499999L * 1500000, data.agg("twice" -> "sum").head().getLong(0))
      assertEquals(399999L * 400000, old.agg("twice" -> "sum").head().getLong(0), "and is read where it is now")
    }
  }

  /**
   * It is no word about this cache: where it was taken for one, the rest of a broken input was read, and the table was
   * left out of the cache.
   */
  @Test def anInputThatHasNoRoomForSomethingOfItsOwnFailsTheQuery(): Unit = {
    FirstTime.isOver.set(false)
    val rows = spark.sparkContext.parallelize(0 until 1000, 2).mapPartitions(_.map { i =>
      if (i == 700 && !FirstTime.isOver.getAndSet(true))
        throw new SparkGapException(SparkGapException.NO_ROOM, "the input", "room", "none", "Do free some")
      Row(i)
    })
    val data = spark.createDataFrame(rows, StructType(Seq(StructField("i", IntegerType)))).cache()
    LocalSpark.refused(SparkGapException.NO_ROOM, "the input: expected room")(data.count())
    assertEquals(1000, data.count())
    assertEquals(2, files(store).size, "and is cached")
  }

  @Test def whatSparkDidNotTakeGoes(): Unit = {
    val rows = spark.range(0, 100000, 1, 2).queryExecution.toRdd
    val table = CacheWriteRDD(rows, new CachedRows(StructType(Seq(StructField("id", LongType, nullable = false)))),
      StorageLevel.MEMORY_ONLY, SQLConf.get)
    val batches = spark.sparkContext.runJob(table, (batches: Iterator[CachedBatch]) => batches.hasNext)
    assertEquals(Seq(true, true), batches.toSeq)
    assertEquals(Seq.empty, files(store) ++ files(disk))
    assertEquals(Seq(1, 1), spark.sparkContext.runJob(table, (batches: Iterator[CachedBatch]) => batches.size).toSeq)
    assertEquals(2, files(store).size)
    LocalSegments().remove(table.asInstanceOf[CacheWriteRDD[_]].table)
  }

  @Test def whatIsWrittenAfterTheTableWasDroppedGoes(): Unit = {
    val rows = spark.range(0, 100000, 1, 2).queryExecution.toRdd
    val table = CacheWriteRDD(rows, new CachedRows(StructType(Seq(StructField("id", LongType, nullable = false)))),
      StorageLevel.MEMORY_ONLY, SQLConf.get)
    OpenWrites().end(table.asInstanceOf[CacheWriteRDD[_]].table)
    val counts = spark.sparkContext.runJob(table, (batches: Iterator[CachedBatch]) => batches.map(_.numRows.toLong).sum)
    assertEquals(100000L, counts.sum)
    assertEquals(Seq.empty, files(store) ++ files(disk))
  }

  /** Where mappings ended with their tasks, this ended the JVM. */
  @Test def aThreadThatOutlivesItsTaskReadsOn(): Unit = {
    val data = spark.range(0, 100000, 1, 1).selectExpr("id", "concat('v', id) name").cache()
    assertEquals(100000, data.count())
    val scan = data.queryExecution.executedPlan.collectFirst { case found: InMemoryTableScanExec => found }.get
    assertEquals(Seq(2), spark.sparkContext.runJob(scan.executeColumnar(), new KeepBatches).toSeq)
    data.unpersist(blocking = true)
    eventually("files")(files(store) ++ files(disk))
    for (_ <- 1 to 3) { // what the housekeeping does, and more than the second that it waits
      System.gc()
      Thread.sleep(600)
      LocalSegments().tidy()
    }
    var (sum, letters) = (0L, 0L)
    val late = new Thread(() =>
      KeepBatches.kept.foreach(batch =>
        (0 until batch.numRows).foreach { row =>
          sum += batch.column(0).getLong(row)
          letters += batch.column(1).getUTF8String(row).numBytes
        }))
    late.start()
    late.join()
    KeepBatches.kept = Seq.empty
    assertEquals(99999L * 50000, sum)
    assertEquals(588890L, letters)
  }

  @Test def withoutRoomAnywhereRowsAreComputedAgain(): Unit = {
    val (data, computed) = counted(300000, 2)
    Files.createDirectories(disk)
    // No room in memory for a table of 2.4 MB, and a disk that takes no file.
    val filler = spark.range(0, 950000, 1, 1).toDF("filler").cache()
    filler.count()
    val broken = Homes().current(Tier.Disk).path.resolve("segments")
    val aside = broken.resolveSibling("aside")
    Files.move(broken, aside)
    Files.writeString(broken, "in the way")
    try {
      data.cache()
      assertEquals(300000, data.count())
      val once = computed()
      assertEquals(299999L * 150000, data.agg("id" -> "sum").head().getLong(0))
      assertTrue(computed() > once, "computed again")
      assertEquals(1, data.where("id = 299999").count(), "nothing is passed over")
    } finally {
      Files.delete(broken)
      Files.move(aside, broken)
    }
  }

  @Test def aSegmentThatIsGoneOrDamagedIsComputedAgain(): Unit =
    for (harm <- Seq[Path => Unit](Files.delete(_),
        Files.write(_, Array.fill[Byte](100)(7), StandardOpenOption.TRUNCATE_EXISTING))) {
      val (data, computed) = counted(40000, 2)
      data.cache()
      assertEquals(40000, data.count())
      files(store).filter(_.getFileName.toString.startsWith("part-1-")).foreach { file =>
        LocalSegments().forget(file)
        harm(file)
      }
      assertEquals(39999L * 20000, data.agg("id" -> "sum").head().getLong(0))
      assertEquals(60000, computed(), "one of two partitions")
      assertEquals(39999L * 20000, data.agg("id" -> "sum").head().getLong(0))
      assertEquals(60000, computed(), "and is cached again")
      data.unpersist(blocking = true)
    }

  @Test def vectorsAreKeptAsWhatTheyAreMadeOf(): Unit = {
    import org.apache.spark.ml.linalg.{Vector, Vectors}
    val session = spark
    import session.implicits._
    val made = (0 until 5000).map(i =>
      (i.toLong,
        if (i % 7 == 3) null
        else if (i % 2 == 0) Vectors.dense(i, -i, 0.5)
        else Vectors.sparse(3, Array(i % 3), Array(i.toDouble))))
    val data = spark.sparkContext.parallelize(made, 2).toDF("id", "features").cache()
    assertEquals(5000, data.count())
    assertTrue(files(store).nonEmpty)
    assertEquals(made, data.orderBy("id").as[(Long, Vector)].collect().toSeq)
    assertEquals(made.count(_._2 == null), data.where("features is null and id >= 0").count())
    val norms = udf((v: Vector) => if (v == null) 0.0 else Vectors.norm(v, 1))
    assertEquals(
      made.map(m => if (m._2 == null) 0.0 else Vectors.norm(m._2, 1)).sum,
      data.agg(org.apache.spark.sql.functions.sum(norms(col("features")))).head().getDouble(0),
      1e-6
    )
    for (after <- Seq(data.repartition(3), data.selectExpr("id + 0 id", "features")))
      assertEquals(made, after.cache().orderBy("id").as[(Long, Vector)].collect().toSeq,
        "after a shuffle, and out of another cache")
    val exported = Export.borrow(data, "vectors", Tier.Memory)
    assertEquals(0, exported.bytesCopied)
    LocalSpark.refused(3, "t.features: expected a type that the store keeps") { Export.whole(data, "t") }
  }

  @Test def aTypeThatTheStoreDoesNotKeepIsSparksOwn(): Unit = {
    val data = spark.range(5).selectExpr("id", "map(id, 'x') m", "make_ym_interval(1, 2) i").cache()
    assertEquals(5, data.count())
    assertEquals("[3,Map(3 -> x)]", data.select("id", "m").where("id = 3").head().toString)
    assertEquals(Seq.empty, files(store))
    val scan = data.queryExecution.executedPlan.collectFirst { case s: InMemoryTableScanExec => s }.get
    assertTrue(scan.relation.cacheBuilder.cachedColumnBuffers.collect().forall(_.isInstanceOf[DefaultCachedBatch]))
  }

  @Test def cachesUponCachesAndTheSameTableTwice(): Unit = {
    val (data, computed) = counted(30000, 3)
    data.cache()
    val second = data.selectExpr("id", "id % 7 k").cache()
    val third = second.groupBy("k").count().cache()
    assertEquals(7, third.count())
    assertEquals(30000, second.count())
    assertEquals(30000, computed())
    data.unpersist(blocking = true)
    assertEquals(30000, second.where("k >= 0").count())
    assertEquals(30000, data.join(data, "id").count())
  }

  @Test def anInterruptedTableLeavesNothing(): Unit = {
    val broken = udf { id: Long => if (id == 199999) throw new IllegalStateException("broken row") else id }
    val data = spark.range(0, 200000, 1, 1).select(broken(col("id")).as("id")).cache()
    try data.count()
    catch {
      case e: Exception =>
        assertTrue(e.toString.contains("broken") || e.getCause.toString.contains("broken"), e.toString)
    }
    assertEquals(Seq.empty, files(store))
    assertFalse(data.unpersist(blocking = true).storageLevel.useMemory)
  }
}

/** A task that gives its batches to others. */
private final class KeepBatches extends (Iterator[ColumnarBatch] => Int) with Serializable {
  override def apply(batches: Iterator[ColumnarBatch]): Int = {
    KeepBatches.kept = batches.toVector
    KeepBatches.kept.size
  }
}

private object FirstTime {
  val isOver = new java.util.concurrent.atomic.AtomicBoolean
}

private object KeepBatches {
  @volatile var kept: Seq[ColumnarBatch] = Seq.empty
}
