// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.columns

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types._
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.sparkgap.spark.LocalSpark.refused
import org.sparkgap.store.{ColumnType, Manifest}

class TypesTest {
  private val point =
    new StructType().add("x", DoubleType, nullable = false).add("a `b`", StringType).add("Ω", DecimalType(10, 2))

  @Test def schemasComeBackEqual(): Unit = {
    val types = Seq(
      BooleanType,
      ByteType,
      ShortType,
      IntegerType,
      LongType,
      FloatType,
      DoubleType,
      DecimalType(38, 38),
      DateType,
      TimestampType,
      TimestampNTZType,
      StringType,
      BinaryType,
      point
    ) ++ Seq(true, false).flatMap(n => Seq(ArrayType(LongType, n), ArrayType(ArrayType(point, n), !n)))
    val schema = StructType(types.zipWithIndex.map { case (kind, i) => StructField(s"c$i", kind, i % 2 == 0) } :+
      StructField("all",
        StructType(types.zipWithIndex.map { case (kind, i) => StructField(s"f$i", kind, i % 2 == 1) })))
    val columns = Types.columns("t", schema)
    assertEquals(schema, Types.spark(columns))
    assertEquals(columns,
      columns.map(c => new org.sparkgap.store.Column(c.name, ColumnType.find(c.`type`.ddl), c.nullable)))
    assertEquals(columns, new Manifest("t", columns.asJava, Seq.empty.asJava).columns.asScala.toSeq)
  }

  /** Where nothing says "not null" and names are plain, it is Spark's own name. */
  @Test def plainNamesAreSparks(): Unit =
    for (ddl <-
        Seq("array<int>", "struct<a:bigint,b:string>", "array<struct<x:decimal(10,2),y:array<timestamp_ntz>>>")) {
      val kind = DataType.fromDDL(ddl)
      assertEquals(ddl, kind.catalogString)
      assertEquals(ddl, Types.find(kind).get.ddl)
      assertEquals(kind, Types.spark(ColumnType.find(ddl)))
    }

  @Test def othersAreRefusedByTheirInnermostName(): Unit = {
    val expected =
      "t.odd: expected a type that the store keeps (boolean, integers, float, double, decimal, date, timestamp, " +
        "string, binary, and arrays and structs of these), found "
    def odd(kind: DataType): Seq[Any] = Types.columns("t", new StructType().add("fine", point).add("odd", kind))
    refused(3, expected + "map<int,int>.")(odd(MapType(IntegerType, IntegerType)))
    refused(3, expected + "map<int,int>.")(odd(ArrayType(new StructType().add("a", point).add("m",
            MapType(IntegerType, IntegerType)))))
    refused(3, expected + "struct<>.")(odd(ArrayType(new StructType)))
    refused(3, expected + "void.")(odd(ArrayType(NullType)))
    refused(3, expected + "string collate UTF8_LCASE.")(odd(ArrayType(StringType("UTF8_LCASE"))))
    val deepest = Iterator.iterate[DataType](IntegerType)(ArrayType(_)).drop(ColumnType.MAX_DEPTH - 1).next()
    assertEquals(2, odd(deepest).length)
    refused(3, expected + ArrayType(deepest).catalogString)(odd(ArrayType(ArrayType(deepest))))
  }
}
